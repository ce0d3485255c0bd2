/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of the heap of a function, a call path, a thread or a process. */
#ifndef INSIDEME_HEAP_STATS_H
#define INSIDEME_HEAP_STATS_H

#include <stdint.h>

/* What the function itself (the path itself) allocated and freed, not what it called. */
struct heap_stats {
	uint64_t alloc_calls;
	uint64_t alloc_bytes;
	uint64_t free_calls;		/* frees done here, of blocks from anywhere */
	uint64_t freed_bytes;
	uint64_t failed_calls;
	uint64_t largest_bytes;

	/* Where live blocks were recorded, of what was allocated here, whoever freed it. Estimates where blocks were sampled. */
	uint64_t temporary_calls;	/* freed while it was the thread's newest block */
	uint64_t peak_calls;		/* live blocks when the process's heap was highest */
	uint64_t peak_bytes;
	uint64_t not_freed_calls;	/* live at the end, or now; without the runtimes' own */
	uint64_t not_freed_bytes;
	uint64_t runtime_bytes;		/* the runtimes' own */
	uint64_t live_records;		/* in which all this was recorded: 0: it is not known */

	/* Without hooks: all of the above are estimates, from so many allocations whose stack was taken; 0: they are not. */
	uint64_t nr_samples;
	double alloc_variance_bytes2;
	double peak_variance_bytes2;
	double not_freed_variance_bytes2;
};

/* Blocks that were not freed, by when they were allocated: [i]: less than 2^(26 + i) ns after their process's start. */
#define HEAP_AGES	24
#define HEAP_AGE_SHIFT	26
struct heap_age {
	uint64_t born[HEAP_AGES];
};

#endif
