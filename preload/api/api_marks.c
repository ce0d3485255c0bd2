/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records of what the program reports. Takes no lock: several threads, and handlers that interrupt them, may
 * be in here.
 */
#include "preload/api/api.h"

#include <errno.h>

#include "preload/calls/selection.h"
#include "preload/calls/verbose_calls.h"
#include "preload/common/base/settings.h"
#include "preload/common/base/text.h"
#include "preload/stacks/paused_calls.h"
#include "preload/stacks/thread.h"
#include "preload/state/labels.h"
#include "preload/state/log_space.h"

#define INSIDEME_RECORDER
#include "insideme.h"

#define COUNTER_PARTS	10u	/* see struct log_counter */

enum timer_state { TIMER_STOPPED, TIMER_RUNNING, TIMER_PAUSED };

/* NULL: the share is full, counted as lost. */
static struct log_record *new_record(uint32_t bytes)
{
	struct log_header *log = live.log;

	if (__atomic_add_fetch(&log->mark_bytes, bytes, __ATOMIC_RELAXED) > log->map_bytes / LOG_MARK_SHARE) {
		log_lose(log, LOG_LOST_RECORDS);
		return NULL;
	}
	log_space_for_records(log);
	return log_new_record(log, bytes, now_ticks());
}

static int write_mark(enum log_mark_kind kind, const char *name, const char *text)
{
	struct log_thread *thread = name ? thread_self() : NULL;
	const struct label *label = thread ? label_find(name) : NULL;
	size_t text_bytes = text ? text_length(text) + 1 : 0;
	struct log_mark *record;

	if (text_bytes > LOG_FAILURE_MAX + 1)
		text_bytes = LOG_FAILURE_MAX + 1;
	if (!label)
		return !name ? -EINVAL : thread ? -ENOBUFS : -ENODATA;
	record = (struct log_mark *)new_record((uint32_t)(sizeof(*record) + text_bytes));
	if (!record)
		return -ENOBUFS;
	record->mark = kind;
	record->label = label->number;
	record->thread = thread->head.self;
	record->node = thread->current;
	record->text_bytes = (uint32_t)text_bytes;
	if (text)
		text_copy((char *)(record + 1), text_bytes, text);
	log_publish(&record->record, LOG_RECORD_MARK);
	return 0;
}

int mark_instant(const char *name)
{
	return write_mark(LOG_MARK_INSTANT, name, NULL);
}

int mark_failure(const char *type, const char *message)
{
	return write_mark(LOG_MARK_FAILURE, type, message ? message : "");
}

int mark_field(const char *name)
{
	uintptr_t stack_addr = (uintptr_t)__builtin_frame_address(0);
	struct log_thread *thread = name ? thread_self() : NULL;
	const struct label *label;
	struct log_field *record;

	if (!thread)
		return name ? -ENODATA : -EINVAL;
	if (thread->current == log_ref(live.log, &thread->root) || is_gap(top_frame(thread)) ||
	    (selection_now()->has_names && top_frame(thread)->stack_addr != stack_addr))
		return -ESRCH;
	label = label_find(name);
	record = label ? (struct log_field *)new_record(sizeof(*record)) : NULL;
	if (!record)
		return -ENOBUFS;
	record->label = label->number;
	record->thread = thread->head.self;
	record->node = thread->current;
	log_publish(&record->record, LOG_RECORD_FIELD);
	return 0;
}

int mark_snapshot(const char *name)
{
	char buffer[128];
	struct text text;

	text_init(&text, buffer, sizeof(buffer));
	text_add(&text, "rss_bytes=");
	text_add_number(&text, query_memory(INSIDEME_MEMORY_RSS));
	text_add(&text, " heap_bytes=");
	text_add_number(
		&text, live.log && live.log->heap_total_bytes > 0 ? (uint64_t)live.log->heap_total_bytes : 0);
	return write_mark(LOG_MARK_SNAPSHOT, name, buffer);
}

/* If values follow each other closely, only the last one stays. */
static bool is_close(const struct log_counter *counter, uint64_t ticks)
{
	return ticks - counter->record.ticks < (ticks - live.log->start.ticks) >> COUNTER_PARTS;
}

/*
 * Decided by its bits, because hooks may run in the middle of the program's computations. Means and curves
 * have no place for infinity.
 */
static bool is_finite(uint64_t value)
{
	return (~value & 0x7ff0000000000000u) != 0;
}

int mark_counter(const char *name, uint64_t value)
{
	struct log_counter *counter;
	struct label *label;
	uint64_t ticks;

	if (!name || !is_finite(value))
		return -EINVAL;
	label = thread_self() ? label_find(name) : NULL;
	if (!label)
		return live.log ? -ENOBUFS : -ENODATA;
	ticks = now_ticks();
	counter = __atomic_load_n(&label->counter, __ATOMIC_ACQUIRE);
	if (counter && is_close(counter, ticks)) {
		__atomic_store_n(&counter->last, value, __ATOMIC_RELAXED);
		__atomic_store_n(&counter->newest_ticks, ticks, __ATOMIC_RELAXED);
		__atomic_fetch_add(&counter->nr_values, 1, __ATOMIC_RELAXED);
		return 0;
	}
	counter = (struct log_counter *)new_record(sizeof(*counter));
	if (!counter)
		return -ENOBUFS;
	counter->label = label->number;
	counter->newest_ticks = counter->record.ticks;
	counter->last = value;
	counter->nr_values = 1;
	log_publish(&counter->record, LOG_RECORD_COUNTER);
	__atomic_store_n(&label->counter, counter, __ATOMIC_RELEASE);
	return 0;
}

static struct log_timer *record_of(struct label *label, struct log_timer **place)
{
	struct log_timer *record = __atomic_load_n(place, __ATOMIC_ACQUIRE), *none = NULL;

	if (record)
		return record;
	label->is_timed = 1;
	log_space_for_records(live.log);
	record = (struct log_timer *)log_new_record(live.log, sizeof(*record), now_ticks());
	if (!record)
		return NULL;
	record->label = label->number;
	record->in_ns = place == &label->added;
	record->least_ticks = UINT64_MAX;
	log_publish(&record->record, LOG_RECORD_TIMER);
	/* if another task was faster, its record stays; ours remains empty */
	return __atomic_compare_exchange_n(place, &none, record, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_ACQUIRE)
		       ? record
		       : none;
}

static void lower_to(uint64_t *least, uint64_t value)
{
	uint64_t seen = __atomic_load_n(least, __ATOMIC_RELAXED);

	while (value < seen &&
	       !__atomic_compare_exchange_n(least, &seen, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static void raise_to(uint64_t *most, uint64_t value)
{
	uint64_t seen = __atomic_load_n(most, __ATOMIC_RELAXED);

	while (value > seen &&
	       !__atomic_compare_exchange_n(most, &seen, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/* Threads add at the same time: whoever makes the low word wrap adds its carry. */
static void add_square(struct log_timer *timer, uint64_t ticks)
{
	const unsigned __int128 square = (unsigned __int128)ticks * ticks;
	const uint64_t low = (uint64_t)square;
	const uint64_t sum = __atomic_add_fetch(&timer->squares[0], low, __ATOMIC_RELAXED);

	__atomic_fetch_add(&timer->squares[1], (uint64_t)(square >> 64) + (sum < low), __ATOMIC_RELAXED);
}

/* @timer: NULL: there is no room for it. Return: 0, or -ENOBUFS */
static int add_to_sums(const struct label *label, struct log_timer *timer, uint64_t ticks,
		       uint64_t paused_ticks)
{
	uint64_t ns;

	if (!timer)
		return -ENOBUFS;
	__atomic_fetch_add(&timer->nr_spans, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&timer->timer_ticks, ticks, __ATOMIC_RELAXED);
	__atomic_fetch_add(&timer->paused_ticks, paused_ticks, __ATOMIC_RELAXED);
	add_square(timer, ticks);
	lower_to(&timer->least_ticks, ticks);
	raise_to(&timer->most_ticks, ticks);
	if (likely(!settings.value[SETTING_VERBOSE] && !calls_are_heard()))
		return 0;
	ns = timer->in_ns ? ticks : live_ns_of(ticks);
	if (settings.value[SETTING_VERBOSE])
		verbose_timer(label->text, ns);
	if (calls_are_heard())
		timer_tell(thread_self(), label->text, ns);
	return 0;
}

static void add_span(const struct log_thread *thread, struct label *label, const struct insideme_timer *timer)
{
	const uint64_t start_ticks = timer->start_ticks, end_ticks = timer->pause_ticks;
	const uint64_t paused_ticks = timer->paused_ticks;
	struct log_span *span;

	if (add_to_sums(label, record_of(label, &label->timer), end_ticks - start_ticks - paused_ticks,
			paused_ticks) < 0)
		return;
	if (end_ticks - start_ticks < live.log->threshold_ticks)
		return;
	span = (struct log_span *)new_record(sizeof(*span));
	if (!span)
		return;
	span->record.ticks = end_ticks;		/* a callback ran since */
	span->start_ticks = start_ticks;
	span->paused_ticks = paused_ticks;
	span->label = label->number;
	span->thread = thread->head.self;
	span->node = thread->current;
	log_publish(&span->record, LOG_RECORD_SPAN);
}

/* If two threads use one timer at the same time, one of them gets the error. */
static bool change(struct insideme_timer *timer, enum timer_state from, enum timer_state to)
{
	uint64_t state = from;

	return __atomic_compare_exchange_n(&timer->state, &state, (uint64_t)to, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_ACQUIRE);
}

static bool is_stopped(const struct insideme_timer *timer)
{
	return __atomic_load_n(&timer->state, __ATOMIC_ACQUIRE) == TIMER_STOPPED;
}

int timer_start(struct insideme_timer *timer)
{
	struct log_timer *record;
	struct label *label;

	if (!timer || !timer->name || timer->state > TIMER_PAUSED)
		return -EINVAL;
	if (!thread_self())
		return -ENODATA;
	if (!change(timer, TIMER_STOPPED, TIMER_RUNNING))
		return -EALREADY;
	timer->paused_ticks = 0;
	timer->start_ticks = now_ticks();
	label = label_find(timer->name);
	record = label ? record_of(label, &label->timer) : NULL;
	if (record) {
		__atomic_store_n(&record->last_start_ticks, timer->start_ticks, __ATOMIC_RELAXED);
		__atomic_fetch_add(&record->nr_starts, 1, __ATOMIC_RELAXED);
	}
	return 0;
}

int timer_pause(struct insideme_timer *timer)
{
	if (!timer || timer->state > TIMER_PAUSED)
		return -EINVAL;
	if (is_stopped(timer))
		return -ESRCH;
	if (change(timer, TIMER_RUNNING, TIMER_PAUSED))
		timer->pause_ticks = now_ticks();
	return 0;
}

int timer_resume(struct insideme_timer *timer)
{
	if (!timer || timer->state > TIMER_PAUSED)
		return -EINVAL;
	if (is_stopped(timer))
		return -ESRCH;
	if (change(timer, TIMER_PAUSED, TIMER_RUNNING))
		timer->paused_ticks += now_ticks() - timer->pause_ticks;
	return 0;
}

int timer_stop(struct insideme_timer *timer)
{
	struct log_thread *thread;
	struct log_timer *record;
	struct label *label;

	if (!timer || !timer->name || timer->state > TIMER_PAUSED)
		return -EINVAL;
	thread = thread_self();
	if (!thread)
		return 0;
	timer_resume(timer);
	if (!change(timer, TIMER_RUNNING, TIMER_STOPPED))
		return -ESRCH;
	timer->pause_ticks = now_ticks();
	label = label_find(timer->name);
	record = label ? record_of(label, &label->timer) : NULL;
	if (record) {
		__atomic_fetch_add(&record->nr_stops, 1, __ATOMIC_RELAXED);
		add_span(thread, label, timer);
	}
	return 0;
}

/* In a pause, and after the stop, the clock stands where it was then. */
int64_t timer_elapsed(const struct insideme_timer *timer)
{
	uint64_t until_ticks;

	if (!timer || !timer->name || timer->state > TIMER_PAUSED)
		return -EINVAL;
	if (!thread_self())
		return -ENODATA;
	if (!timer->start_ticks)
		return -ESRCH;
	until_ticks = timer->state == TIMER_RUNNING ? now_ticks() : timer->pause_ticks;
	return (int64_t)live_ns_of(until_ticks - timer->start_ticks - timer->paused_ticks);
}

int on_call(calls_callback *callback, uint64_t least_ns)
{
	if (!thread_self())
		return -ENODATA;
	calls_hear(callback, least_ns);
	return 0;
}

int timer_add(const char *name, uint64_t ns)
{
	const struct log_thread *thread = thread_self();
	struct label *label = thread ? label_find(name) : NULL;

	if (!label)
		return thread ? -ENOBUFS : -ENODATA;
	return add_to_sums(label, record_of(label, &label->added), ns, 0);
}
