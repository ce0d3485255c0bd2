/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One set of rows in a log: a chain of areas that grows as the run does, up to the set's room; then every
 * second row goes and the sampler takes half as many from there on. A chain reads as one array of rows,
 * so a process that is killed in the middle leaves rows whose ticks do not rise, and readers drop those.
 */
#ifndef INSIDEME_ROWS_WRITER_H
#define INSIDEME_ROWS_WRITER_H

#include <stdint.h>

#include "insideme_log.h"
#include "preload/common/log/columns.h"

#define ROWS_AREAS	16
#define ROWS_COSTS	15

struct row_set {
	struct log_header *log;
	int log_fd;
	const struct column_set *set;
	uint32_t id;				/* see log_rows */
	uint64_t room_bytes;			/* most that its areas may take */
	uint64_t first_bytes;			/* of the first one */
	uint64_t taken_bytes;
	struct log_rows *areas[ROWS_AREAS];
	uint64_t rows_in[ROWS_AREAS];		/* how many each can hold */
	uint32_t nr_areas;
	uint64_t nr_rows;			/* in all of them */
	uint64_t ticks;				/* of the newest row */
	uint32_t step;				/* 1, 2, 4, ... */
	uint64_t *last;				/* [column] newest row: a cumulative column never falls */
	uint32_t costs_ns[ROWS_COSTS];
	uint32_t nr_costs;
	uint64_t cost_ns;			/* median of the costs, 0: not known yet */
	uint64_t first_cost_ns;
};

/* Nothing is claimed before the first row. @log_fd: to grow the file. @last: room for a number of each column, kept. */
void row_set_init(struct row_set *rows, struct log_header *log, int log_fd, const struct column_set *set, uint32_t id,
		  uint64_t *last);

/* One of many such sets in the log, before its first row: it gets the room >> @shift, and begins as small as can be. */
void row_set_share(struct row_set *rows, uint32_t shift);

/* Add a row of the set's columns, which lie in @numbers. Without room for it the row is lost, and counted. */
void row_set_add(struct row_set *rows, uint64_t ticks, const void *numbers);

/* What reading the newest row took; the set's head has the median. @interval_ns: between readings, now. */
void row_set_cost(struct row_set *rows, uint64_t cost_ns, uint64_t interval_ns);

#endif
