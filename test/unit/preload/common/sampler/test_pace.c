/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload/common/sampler/pace: new threads are read soon, but what that costs stays below its share. */

#include "preload/common/sampler/sampler_state.h"
#include "test/unit/unit.h"

#define MS 1000000ull
#define S  (1000 * MS)

static struct sampler sampler;
static struct log_header header;

static int begin(void **state)
{
	(void)state;
	header = (struct log_header){ .nr_threads = 1 };
	sampler = (struct sampler){ .sources = { .nr_threads_met = 1 } };
	sampler.config.settings.interval_ns = 10 * MS;
	sampler.config.log = sampler.sources.config.log = &header;
	pace_account_init(&sampler.account, S);
	sampler.last_ns[SET_THREAD] = S;
	return 0;
}

static void spend_on_threads(uint64_t now_ns, uint64_t spent_ns)
{
	pace_account_spend(&sampler.account, now_ns, 0,
			   (const uint64_t[NR_DEBTS]){ [DEBT_THREADS] = spent_ns });
}

/* The first time after @now_ns at which threads are read, in steps of 1 ms. */
static uint64_t read_at_ns(uint64_t now_ns)
{
	while (!pace_is_due(&sampler, SET_THREAD, now_ns))
		now_ns += MS;
	return now_ns;
}

TEST(a_new_thread_does_not_wait_until_the_machines_rows_are_paid_for, begin, NULL)
{
	spend_on_threads(S, 500000);
	assert_in_range(read_at_ns(S), S + 190 * MS, S + 220 * MS);
	header.nr_threads++;
	assert_in_range(read_at_ns(S), S + 9 * MS, S + 11 * MS);
}

TEST(threads_that_come_and_go_all_the_time_cost_no_more_than_their_share, begin, NULL)
{
	uint64_t now_ns = S, nr_readings = 0;

	while (now_ns < 11 * S) {
		header.nr_threads++;
		now_ns = read_at_ns(now_ns);
		pace_took_row(&sampler, SET_THREAD, now_ns);
		sampler.sources.nr_threads_met = header.nr_threads;
		spend_on_threads(now_ns, 100000);
		nr_readings++;
	}
	/* 0.24 % of 10 s is 24 ms, and 2.4 ms more are spent before they are earned */
	assert_in_range(nr_readings, 240, 270);
}

TEST(a_child_in_the_log_of_another_process_has_none_of_its_threads, begin, NULL)
{
	spend_on_threads(S, 500000);
	sampler.sources.config.ancestor = &header;
	header.nr_threads++;
	assert_in_range(read_at_ns(S), S + 190 * MS, S + 220 * MS);
}
