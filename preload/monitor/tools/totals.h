/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums of a log's records, for the line that is printed at the end. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "insideme_log.h"

struct count {
	uint64_t calls;			/* over all call paths, including open calls */
	uint64_t stacks;		/* of sampled allocations */
	uint64_t sampled_bytes;		/* allocated in total, where stacks of allocations are sampled */
	bool is_sampled;
	uint64_t samples;		/* of CPU time */
	uint64_t log_bytes;
};

/* Add what @log contains. Only its first @reach bytes may be touched. */
void count_log(struct count *count, const struct log_header *log, uint64_t reach);

/* Write "27.4 M", "421 k" or "9999" into @text; format_bytes() writes "38 MiB" or "256 KiB". */
#define COUNT_TEXT_BYTES 32
void format_count(char *text, uint64_t count);
void format_bytes(char *text, uint64_t bytes);
