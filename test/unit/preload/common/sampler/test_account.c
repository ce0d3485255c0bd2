/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * preload/common/sampler/account: the cost of sampling stays below its share, and expensive sets do not take
 * the rows of the process.
 */

#include "preload/common/sampler/pace.h"
#include "test/unit/unit.h"

#define MS 1000000ull

static const uint64_t none[NR_DEBTS];

struct sampling {
	uint64_t row_ns, seldom_ns;	/* cost of a reading */
	uint64_t rows, seldom_rows, spent_ns;
};

/* Rows each 10 ms, and of the machine each 100 ms, if the account lets them: for @ms in steps of 1 ms. */
static void sample_for(struct sampling *sampling, uint64_t ms)
{
	uint64_t next = 0, next_seldom = 50 * MS;
	struct account account;

	pace_account_init(&account, MS);
	for (uint64_t now = MS; now < ms * MS; now += MS) {
		uint64_t spent = 0, seldom = 0;

		if (now >= next && now >= account.rest_until_ns) {
			spent = sampling->row_ns;
			sampling->rows++;
			next = now + 10 * MS;
		}
		if (now >= next_seldom && now >= account.debts[DEBT_SELDOM].until_ns) {
			seldom = sampling->seldom_ns;
			sampling->seldom_rows++;
			next_seldom = now + 100 * MS;
		}
		pace_account_spend(&account, now, spent,
				   (const uint64_t[NR_DEBTS]){ [DEBT_SELDOM] = seldom });
		sampling->spent_ns += spent + seldom;
	}
}

TEST(rows_of_a_short_run_keep_their_pace)
{
	struct sampling sampling = { .row_ns = 40000, .seldom_ns = 700000 };

	sample_for(&sampling, 450);
	assert_in_range(sampling.rows, 43, 45);
	assert_in_range(sampling.seldom_rows, 1, 2);
}

TEST(rows_keep_their_pace_beside_a_dear_set)
{
	struct sampling sampling = { .row_ns = 50000, .seldom_ns = 5 * MS };

	sample_for(&sampling, 20000);
	assert_in_range(sampling.rows, 1990, 2000);
	assert_in_range(sampling.seldom_rows, 5, 7);
	assert_in_range(sampling.spent_ns, 100 * MS, 20000 * (MS / 100));
}

TEST(cheap_sets_keep_their_pace)
{
	struct sampling sampling = { .row_ns = 10000, .seldom_ns = 100000 };

	sample_for(&sampling, 10000);
	assert_in_range(sampling.rows, 998, 1000);
	assert_in_range(sampling.seldom_rows, 99, 100);
}

TEST(all_stays_below_a_hundredth)
{
	struct sampling sampling = { .row_ns = 900000, .seldom_ns = 900000 };

	sample_for(&sampling, 20000);
	assert_in_range(sampling.spent_ns, 150 * MS, 190 * MS);
}

/* Extra rows each ms, as those of memory. */
TEST(extra_rows_take_what_is_left)
{
	struct account account;
	uint64_t next = 0, rows = 0, extra_rows = 0, spent_ns = 0;

	pace_account_init(&account, MS);
	for (uint64_t now = MS; now < 10000 * MS; now += MS) {
		uint64_t spent = 0;

		if (now >= next && now >= account.rest_until_ns) {
			spent = 50000;
			rows++;
			next = now + 10 * MS;
		} else if (now >= account.extra_until_ns) {
			spent = 20000;
			extra_rows++;
		}
		pace_account_spend(&account, now, spent, none);
		spent_ns += spent;
	}
	assert_in_range(rows, 995, 1000);
	assert_in_range(extra_rows, 1200, 1800);
	assert_in_range(spent_ns, 75 * MS, 85 * MS);
}
