/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How many pages of its own log a process has in memory. RSS counts them, but they are ours, not
 * the program's. The kernel has no cheaper true answer than the present bits of /proc/PID/pagemap,
 * so pages are counted in chunks: at each reading where the log grows, and at every second reading
 * one chunk elsewhere, in turn. A page that comes or goes elsewhere is noticed within one round,
 * that is within 2048 readings.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "insideme_log.h"
#include "preload/common/resources/proc_file.h"

#define LOG_PAGES_CHUNKS 1024

struct log_pages {
	const struct log_header *log;
	struct read_count *count;
	int fd;				/* pagemap; < 0: all pages up to the tail are taken as present */
	bool is_mapped;	/* false (base_addr is 0): the process has not mapped the log, and no page counts */
	uint32_t page_bytes;
	uint64_t nr_pages;		/* of the whole mapping */
	uint64_t chunk_pages;
	uint64_t tail_bytes;		/* the log's end at the last reading */
	uint64_t newest;		/* the chunk of that end */
	uint64_t oldest_next;		/* the next chunk of the round */
	bool is_round_due;
	uint64_t reach_bytes;	/* set by the caller when pages beyond the tail are brought in: how far */
	uint64_t known_bytes;		/* reach_bytes at the last reading */
	uint64_t present;		/* sum of present_in */
	uint32_t present_in[LOG_PAGES_CHUNKS];
};

void log_pages_open(struct log_pages *pages, const struct log_header *log, int pid,
		    struct read_count *count);
void log_pages_close(struct log_pages *pages);

/*
 * Does the process, whose "statm" is @statm_fd, have other memory than when @pages was opened? Then
 * it has called exec.
 */
bool log_pages_are_left(const struct log_pages *pages, int statm_fd);

/* Bytes of the log that are in the process's memory now. */
uint64_t log_pages_read(struct log_pages *pages);

/*
 * The number of the last reading, unless the log has grown since. A reading costs as much as the
 * text of "statm".
 */
uint64_t log_pages_read_if_grown(struct log_pages *pages);

/*
 * Bytes in memory of the stacks of the threads that the log knows. Stacks of coroutines are left
 * out, since they may be blocks of malloc. Some 25 us for each stack of 8 MiB. Return: LOG_NONE
 * when it cannot be read.
 */
uint64_t log_pages_of_stacks(struct log_pages *pages);
