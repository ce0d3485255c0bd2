/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether calls are recorded now. This is a count, which may be below 0: pairs of off and on nest, and so do
 * pairs of on and off.
 */
#include "preload/state/recording_state.h"

#include "preload/state/live.h"
#include "preload/state/log_space.h"

int32_t switched_depth;
static uint64_t on_ticks;	/* atomic */
static bool has_changed;	/* never becomes false again */

bool switched_ever(void)
{
	return __atomic_load_n(&has_changed, __ATOMIC_RELAXED);
}

uint64_t switched_on_ticks(void)
{
	return __atomic_load_n(&on_ticks, __ATOMIC_RELAXED);
}

static uint64_t *words_of(struct log_area *area)
{
	return (uint64_t *)(area + 1);
}

/*
 * Call sites that count do so while recording is off, too; those calls are subtracted. If two tasks make the
 * area at the same time, one keeps its own. NULL: there is no room.
 */
static struct log_area *uncounted_of(struct log_thread *thread, struct log_area *area)
{
	uint32_t beside = __atomic_load_n(&area->beside, __ATOMIC_ACQUIRE);
	struct log_area *uncounted;

	if (beside)
		return log_at(live.log, beside);
	uncounted = log_space_new_area(LOG_AREA_UNCOUNTED, thread->head.self, area->bytes,
				       (uint32_t)area->used_bytes, sizeof(uint64_t));
	if (!uncounted)
		log_lose(live.log, LOG_LOST_RECORDS);
	else if (!__atomic_compare_exchange_n(&area->beside, &beside, uncounted->self, false,
					      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return log_at(live.log, beside);
	return uncounted;
}

/* One task may switch on while another one switches off: each adds what it found. */
static void add_words(uint64_t *sums, const uint64_t *words, bool is_on)
{
	for (uint32_t i = 0; i < LOG_COUNTERS; i++) {
		uint64_t calls = __atomic_load_n(&words[i], __ATOMIC_RELAXED);

		if (calls)
			__atomic_fetch_add(&sums[i], is_on ? calls : -calls, __ATOMIC_RELAXED);
	}
}

static void settle_counters(struct log_header *log, bool is_on)
{
	struct log_thread *thread;

	for (uint32_t ref = __atomic_load_n(&log->threads, __ATOMIC_ACQUIRE); ref;
	     ref = thread->next_thread) {
		struct log_area *area, *uncounted;

		thread = log_at(log, ref);
		area = thread->counters ? log_at(log, thread->counters) : NULL;
		uncounted = area ? uncounted_of(thread, area) : NULL;
		if (uncounted)
			add_words(words_of(uncounted), words_of(area), is_on);
	}
}

static void note_off(struct log_header *log)
{
	uint64_t since = 0;

	if (__atomic_compare_exchange_n(&log->off_since_ticks, &since, now_ticks(), false, __ATOMIC_RELAXED,
					__ATOMIC_RELAXED)) {
		__atomic_fetch_add(&log->nr_switches, 1, __ATOMIC_RELAXED);
		settle_counters(log, false);
	}
}

static void note_on(struct log_header *log)
{
	uint64_t now = now_ticks(), since = __atomic_exchange_n(&log->off_since_ticks, 0, __ATOMIC_RELAXED);

	if (!since)
		return;
	settle_counters(log, true);
	__atomic_store_n(&on_ticks, now, __ATOMIC_RELAXED);
	__atomic_fetch_add(&log->off_ticks, now - since, __ATOMIC_RELAXED);
	__atomic_fetch_add(&log->nr_switches, 1, __ATOMIC_RELAXED);
}

/* Several threads and handlers may be here at the same time: the last one sees the final count. */
void switched_settle(void)
{
	bool is_off;

	do {
		is_off = __atomic_load_n(&switched_depth, __ATOMIC_SEQ_CST) > 0;
		if (live.log && is_off)
			note_off(live.log);
		else if (live.log)
			note_on(live.log);
		__atomic_store_n(&live.hot_log, is_off ? NULL : live.hot_log_when_on, __ATOMIC_SEQ_CST);
	} while (is_off != (__atomic_load_n(&switched_depth, __ATOMIC_SEQ_CST) > 0));
}

bool switched_change(int32_t change)
{
	int32_t depth;

	__atomic_store_n(&has_changed, true, __ATOMIC_RELAXED);
	depth = __atomic_add_fetch(&switched_depth, change, __ATOMIC_SEQ_CST);
	if ((depth > 0) == (depth - change > 0))
		return false;
	switched_settle();
	return depth <= 0;
}

bool switched_flip(void)
{
	int32_t depth = __atomic_load_n(&switched_depth, __ATOMIC_RELAXED);

	__atomic_store_n(&has_changed, true, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&switched_depth, &depth, depth > 0 ? 0 : 1, false,
					    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		;
	switched_settle();
	return depth > 0;
}
