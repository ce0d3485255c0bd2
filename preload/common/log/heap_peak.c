/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds and notes the peak of the heap. */
#include "preload/common/log/heap_peak.h"

#include "preload/common/base/clock.h"

#define THREADS_LOOK_SHIFT 12	/* several threads: part of the heap by which it grows between looks */

static int64_t held_bytes(const struct log_header *log, const uint32_t *list)
{
	const struct log_thread *thread;
	int64_t held = 0;

	for (uint32_t ref = __atomic_load_n(list, __ATOMIC_ACQUIRE); ref; ref = thread->next_thread) {
		thread = log_at(log, ref);
		held += __atomic_load_n(&thread->heap_held_bytes, __ATOMIC_RELAXED);
	}
	return held;
}

/* The live heap, with what threads hold back. */
static int64_t live_bytes(const struct log_header *log)
{
	return __atomic_load_n(&log->heap_total_bytes, __ATOMIC_RELAXED) + held_bytes(log, &log->threads) +
	       held_bytes(log, &log->clones);
}

/* Return: the highest sum so far. */
static int64_t note(struct log_header *log, int64_t sum, uint32_t thread, uint32_t node)
{
	int64_t peak = __atomic_load_n(&log->heap_peak_bytes, __ATOMIC_RELAXED);

	do {
		if (sum <= peak)
			return peak;
	} while (!__atomic_compare_exchange_n(&log->heap_peak_bytes, &peak, sum, false, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	log->heap_peak_ticks = clock_ticks(log->clock);
	log->heap_peak_thread = thread;
	log->heap_peak_node = node;
	__atomic_fetch_add(&log->heap_peak_number, 1, __ATOMIC_RELEASE);
	return sum;
}

/*
 * The next look is due when a thread knows of more than now, even if that is no peak because others have
 * freed. A look reads a line of each thread, so several threads let the heap grow a little between looks.
 */
void heap_peak_look(struct log_header *log, const struct log_thread *thread, uint32_t node)
{
	int64_t known = __atomic_load_n(&log->heap_total_bytes, __ATOMIC_RELAXED);

	note(log, live_bytes(log), thread->head.self, node);
	if (log->nr_threads > 1)
		known += known >> THREADS_LOOK_SHIFT;
	__atomic_store_n(&log->heap_look_bytes, known, __ATOMIC_RELEASE);
}

/* A single thread misses no peak, and knows its path. */
int64_t heap_peak_sample(struct log_header *log)
{
	int64_t sum = live_bytes(log);

	if (log->nr_threads > 1) {
		note(log, sum, 0, 0);
		__atomic_store_n(&log->heap_look_bytes, log->heap_total_bytes, __ATOMIC_RELEASE);
	}
	return sum;
}
