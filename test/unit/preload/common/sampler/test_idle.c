/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * preload/common/sampler/pace: an idle process is sampled less and less often, within bounds, and its next
 * use of CPU time is noticed.
 */

#include "insideme_log.h"
#include "preload/common/sampler/pace.h"
#include "test/unit/unit.h"

#define MS 1000000ull
#define S (1000 * MS)

static const struct idle blank = { .cpu_ns = LOG_NONE };

/* Looks as they come due from @now on, until @end: the longest time between two. */
static uint64_t look_until(struct idle *idle, uint64_t cpu_ns, uint64_t now, uint64_t end)
{
	uint64_t longest = 0, next;

	for (; now < end; now = next) {
		assert_false(pace_idle_look(idle, cpu_ns, now, now / 2));
		next = pace_idle_next_ns(idle, 10 * MS);
		assert_true(next > now);
		if (next - now > longest)
			longest = next - now;
	}
	return longest;
}

TEST(a_process_at_work_never_rests)
{
	struct idle idle = blank;

	for (uint64_t i = 1; i < 100; i++) {
		assert_false(pace_idle_look(&idle, i * 50000, i * 10 * MS, i));
		assert_int_equal(pace_idle_rest_ns(&idle), 0);
	}
}

TEST(looks_and_rows_become_fewer_within_bounds)
{
	struct idle idle = blank;

	assert_false(pace_idle_look(&idle, 7000, S, 1));
	assert_in_range(look_until(&idle, 7000, S + 10 * MS, S + 600 * MS), 1, 10 * MS);
	assert_in_range(pace_idle_rest_ns(&idle), 60 * MS, 75 * MS);
	assert_in_range(look_until(&idle, 7000, 2 * S, 60 * S), 20 * MS, 100 * MS);
	assert_in_range(look_until(&idle, 7000, 60 * S, 3600 * S), 20 * MS, 100 * MS);
	assert_int_equal(pace_idle_rest_ns(&idle), 5 * S);
}

TEST(what_it_does_next_begins_after_the_last_look)
{
	struct idle idle = blank;

	assert_false(pace_idle_look(&idle, 7000, S, 1));
	look_until(&idle, 7000, S + 10 * MS, 100 * S);
	assert_false(pace_idle_look(&idle, 6900, 100 * S, 4141));	/* the difference of two clocks */
	assert_false(pace_idle_look(&idle, 7100, 101 * S, 4242));
	assert_true(pace_idle_look(&idle, 7000 + MS, 102 * S, 4343));
	assert_int_equal(idle.seen_ns, 101 * S);
	assert_int_equal(idle.seen_ticks, 4242);
	assert_int_equal(pace_idle_rest_ns(&idle), 0);
	assert_false(pace_idle_look(&idle, 7000 + 2 * MS, 103 * S, 4444));
}

TEST(little_by_little_is_seen_too)
{
	struct idle idle = blank;
	unsigned seen = 0;

	for (uint64_t i = 1; i <= 1000; i++)
		seen += pace_idle_look(&idle, i * 1000, i * 10 * MS, i);
	assert_in_range(seen, 40, 50);
}

TEST(a_clock_that_is_gone_or_goes_back_is_no_rest)
{
	struct idle idle = blank;

	assert_false(pace_idle_look(&idle, 700000, S, 1));
	look_until(&idle, 700000, S + 10 * MS, 10 * S);
	assert_true(pace_idle_look(&idle, 100000, 11 * S, 2));
	look_until(&idle, 100000, 12 * S, 20 * S);
	assert_true(pace_idle_look(&idle, LOG_NONE, 21 * S, 3));
	assert_false(pace_idle_look(&idle, LOG_NONE, 22 * S, 4));
	assert_int_equal(pace_idle_rest_ns(&idle), 0);
}
