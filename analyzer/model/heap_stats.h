/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers of the heap of a function, a call path, a thread or a process. */
#pragma once

#include <stdint.h>

/* Blocks that the function itself, or the path itself, allocated and freed, without its callees. */
struct heap_stats {
	uint64_t alloc_calls;
	uint64_t alloc_bytes;
	uint64_t free_calls;		/* frees done here, wherever the block was allocated */
	uint64_t freed_bytes;
	uint64_t failed_calls;
	uint64_t largest_bytes;

	/*
	 * Known if live blocks were recorded. They are about blocks that were allocated here, wherever
	 * these were freed. Estimates if blocks were sampled.
	 */
	uint64_t temporary_calls;	/* freed while it was the thread's newest block */
	uint64_t peak_calls;		/* blocks live at the peak of the process's heap */
	uint64_t peak_bytes;
	uint64_t not_freed_calls;	/* live at the end, or now; without those of runtimes */
	uint64_t not_freed_bytes;
	uint64_t runtime_bytes;		/* live blocks of runtimes (libc, C++) */
	uint64_t live_records; /* logs that recorded live blocks; 0: the numbers above are not known */

	/*
	 * Without hooks, all of the above are estimates from this many allocations whose stack was taken. 0:
	 * they are exact.
	 */
	uint64_t nr_samples;
	double alloc_variance_bytes2;
	double peak_variance_bytes2;
	double not_freed_variance_bytes2;
};

/*
 * Blocks that were not freed, by age: born[i] were allocated less than 2^(26 + i) ns after their process
 * started.
 */
#define HEAP_AGES	24
#define HEAP_AGE_SHIFT	26
struct heap_age {
	uint64_t born[HEAP_AGES];
};
