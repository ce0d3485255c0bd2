/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * preload/calls/slices, state/log_space and common/log: days of a program that only makes calls just long
 * enough for a slice, the most that it can write. The clock is simulated: ticks are ns.
 */
#include <stdbool.h>

#include "preload/calls/calls.h"
#include "preload/calls/slices.h"
#include "preload/state/log_space.h"
#include "test/unit/empty_log.h"
#include "test/unit/no_recorder.h"
#include "test/unit/unit.h"

#define BUDGET	(64u << 20)
#define SECOND	1000000000ull
#define DAY	(86400 * SECOND)

static struct log_thread *begin(struct log_header **log, int *fd, enum setting_source threshold_source)
{
	*log = empty_log(BUDGET, fd);
	(*log)->clock = LOG_CLOCK_MONOTONIC;
	(*log)->file_bytes = BUDGET;
	(*log)->next_step_bytes = log_slice_share(*log) / 2;
	(*log)->threshold_floor_ticks = 1000;
	(*log)->threshold_ticks = 10000;
	assert_int_equal(ftruncate(*fd, BUDGET), 0);
	live.log = *log;
	settings.source[SETTING_THRESHOLD] = threshold_source;
	return (struct log_thread *)log_space_new_area(LOG_AREA_THREAD, 0, sizeof(struct log_thread),
						       sizeof(struct log_thread), 0);
}

static void end(struct log_header *log, int fd)
{
	munmap(log, BUDGET);
	close(fd);
}

/* One call that lasts the threshold, from @now; returns its end. */
static uint64_t shortest_call(struct log_thread *thread, uint64_t now, uint32_t node)
{
	struct log_frame frame = { .start_ticks = now, .node = node };

	now += live.log->threshold_ticks;
	slice_write(thread, &frame, now, false);
	return now;
}

TEST(days_of_short_slices_stay_within_the_budget)
{
	struct log_header *log;
	int fd;
	struct log_thread *thread = begin(&log, &fd, FROM_ENVIRONMENT);
	uint64_t now = SECOND, calls = 0;

	for (; now < 3 * DAY; calls++)
		now = shortest_call(thread, now, 1 + 4 * (calls % 100));
	assert_true(log->tail_bytes <= log_slice_share(log) + LOG_AREA_ALIGN);
	assert_true(log->threshold_ticks > 10000);
	assert_int_equal(log->losses[LOG_LOST_SLICES], 0);
	assert_true(calls > 1000000);
	end(log, fd);
}

TEST(a_thread_writes_at_most_a_megabyte_per_second)
{
	struct log_header *log;
	int fd;
	struct log_thread *thread = begin(&log, &fd, FROM_FALLBACK);
	uint64_t now = SECOND, most = 0;

	log->threshold_ticks = 0;
	for (int second = 0; second < 60; second++) {
		uint64_t until = now + SECOND, tail = log->tail_bytes;

		while (now < until)
			now = log->threshold_ticks ? shortest_call(thread, now, 1)
						   : shortest_call(thread, now + 50, 1);
		if (second > 0 && log->tail_bytes - tail > most)
			most = log->tail_bytes - tail;
	}
	assert_true(most <= 1100000);
	assert_true(log->threshold_ticks > 0);
	end(log, fd);
}

TEST(a_threshold_that_was_set_is_raised_by_the_budget_alone)
{
	struct log_header *log;
	int fd;
	struct log_thread *thread = begin(&log, &fd, FROM_ENVIRONMENT);
	uint64_t now = SECOND;

	log->threshold_ticks = 0;
	while (log->tail_bytes + (1u << 20) < log->next_step_bytes) {
		now = shortest_call(thread, now + 50, 1);
		assert_int_equal(log->threshold_ticks, 0);
	}
	while (log->threshold_ticks == 0)
		now = shortest_call(thread, now + 50, 1);
	assert_int_equal(log->threshold_ticks, 1000);
	end(log, fd);
}
