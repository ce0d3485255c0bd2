/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How many pages of its own log a process has in memory: RSS counts them, and they are ours, not the
 * program's. The kernel knows no cheaper true answer than the present bits of /proc/PID/pagemap, so they are
 * counted in chunks: where the log grows at each reading, elsewhere one chunk after the other, at every
 * second one. Pages that come and go elsewhere are noticed within one round: 2048 readings at most.
 */
#ifndef INSIDEME_RESOURCES_LOG_PAGES_H
#define INSIDEME_RESOURCES_LOG_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "insideme_log.h"
#include "preload/common/resources/source.h"

#define LOG_PAGES_CHUNKS 1024

struct log_pages {
	const struct log_header *log;
	struct source_count *count;
	int fd;				/* pagemap; < 0: all pages up to the tail are taken for present; */
	bool is_mapped;			/* or none, where the process has it not mapped: base_addr 0 */
	uint32_t page_bytes;
	uint64_t nr_pages;		/* of the whole mapping */
	uint64_t chunk_pages;
	uint64_t tail_bytes;		/* the log's end at the last reading, */
	uint64_t newest;		/* and its chunk */
	uint64_t oldest_next;		/* where the round stands */
	bool is_round_due;
	uint64_t reach_bytes;		/* set by the caller when pages beyond the tail are brought in: up to here */
	uint64_t known_bytes;		/* reach_bytes at the last reading */
	uint64_t present;		/* sum of the counts */
	uint32_t present_in[LOG_PAGES_CHUNKS];
};

void log_pages_open(struct log_pages *pages, const struct log_header *log, int pid, struct source_count *count);
void log_pages_close(struct log_pages *pages);

/* Does the process, whose "statm" is @statm_fd, have other memory than when they were opened? It has exec'ed. */
bool log_pages_are_left(const struct log_pages *pages, int statm_fd);

/* Bytes of the log that are in the process's memory now. */
uint64_t log_pages_read(struct log_pages *pages);

/* The same as of the last reading, unless the log has grown since: a reading costs as much as the text of "statm". */
uint64_t log_pages_read_if_grown(struct log_pages *pages);

/*
 * Bytes in memory of the stacks of threads that the log knows, without those of coroutines, which may be blocks of malloc;
 * LOG_NONE: it cannot be read. Some 25 us for each of 8 MiB.
 */
uint64_t log_pages_of_stacks(struct log_pages *pages);

#endif
