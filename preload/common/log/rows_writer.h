/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One set of rows in a log: a chain of areas that grows with the run, up to the set's room. Then
 * every second row is removed, and the sampler takes half as many rows from there on. A chain reads
 * as one array of rows. If the process is killed while rows are moved, some rows' ticks do not
 * rise; readers drop those.
 */
#pragma once

#include <stdint.h>

#include "insideme_log.h"
#include "preload/common/log/columns.h"

#define ROWS_AREAS	16
#define ROWS_COSTS	15

struct row_set {
	struct log_header *log;
	int log_fd;
	const struct column_set *set;
	uint32_t id;				/* see struct log_rows */
	uint64_t room_bytes;			/* the most that its areas may take */
	uint64_t first_bytes;			/* of the first area */
	uint64_t taken_bytes;
	struct log_rows *areas[ROWS_AREAS];
	uint64_t rows_in[ROWS_AREAS];		/* how many rows each area can hold */
	uint32_t nr_areas;
	uint64_t nr_rows;			/* in all areas together */
	uint64_t ticks;				/* of the newest row */
	uint32_t step;				/* 1, 2, 4, ... */
	uint64_t *last;	/* [column] in the newest row; a cumulative column never falls */
	uint32_t costs_ns[ROWS_COSTS];
	uint32_t nr_costs;
	uint64_t cost_ns;			/* median of the costs; 0: not known yet */
	uint64_t first_cost_ns;
};

/*
 * Initialize a set. No area is claimed before the first row. @log_fd: to grow the file. @last: room
 * for one number of each column; it must stay valid.
 */
void row_set_init(struct row_set *rows, struct log_header *log, int log_fd, const struct column_set *set,
		  uint32_t id, uint64_t *last);

/*
 * Call it before the first row for one of many such sets in a log: the set gets its room >> @shift,
 * and starts with the smallest area.
 */
void row_set_share(struct row_set *rows, uint32_t shift);

/* Add a row of the set's columns from @numbers. Without room the row is lost, and counted. */
void row_set_add(struct row_set *rows, uint64_t ticks, const void *numbers);

/*
 * Report what reading the newest row took; the set's head gets the median. @interval_ns: between
 * readings, from now on.
 */
void row_set_cost(struct row_set *rows, uint64_t cost_ns, uint64_t interval_ns);
