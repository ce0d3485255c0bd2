/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Grows a log ahead of its writers, so that they find room that is already in memory. */
#pragma once

#include <stdint.h>

#include "insideme_log.h"

struct log_growth {
	struct log_header *log;
	int log_fd;
	uint64_t last_tail_bytes;
	uint64_t last_ns;
	uint64_t in_memory_bytes;	/* the file is in the page cache up to here */
	uint64_t retry_ns;		/* no attempt before this, after one has failed */
};

void log_growth_init(struct log_growth *ahead, struct log_header *log, int log_fd);

/*
 * Make the first touch of a page that is not in memory bring in only this page. Otherwise the file system
 * allocates and clears its whole read-ahead, which may be 8 MiB and take 2 ms. Holds for this process.
 */
void log_growth_touch_singly(struct log_header *log);

/*
 * Grow when too little is left. @now_ns: CLOCK_MONOTONIC. Return: look again after at most so many
 * ns; UINT64_MAX: never.
 */
uint64_t log_growth_grow(struct log_growth *ahead, uint64_t now_ns);
