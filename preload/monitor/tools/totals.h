/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a log has recorded, for the line at the end. */
#ifndef INSIDEME_TOTALS_H
#define INSIDEME_TOTALS_H

#include <stdbool.h>
#include <stdint.h>

#include "insideme_log.h"

struct count {
	uint64_t calls;			/* of all call paths, those that are open too */
	uint64_t stacks;		/* of sampled allocations, */
	uint64_t sampled_bytes;		/* and what all allocations brought, where stacks are taken */
	bool is_sampled;
	uint64_t samples;		/* of CPU time */
	uint64_t log_bytes;
};

/* Add what is in @log, of which @reach bytes may be touched. */
void count_log(struct count *count, const struct log_header *log, uint64_t reach);

/* "27.4 M", "421 k", "9999" and "38 MiB", "256 KiB" into @text. */
#define COUNT_TEXT_BYTES 32
void format_count(char *text, uint64_t count);
void format_bytes(char *text, uint64_t bytes);

#endif
