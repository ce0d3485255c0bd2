/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/base/curves: what holds for a time, as changes of a sum. */
#include <stdlib.h>

#include "analyzer/base/curves.h"
#include "test/unit/unit.h"

#define NR 5000

TEST(what_stays_the_same_is_one)
{
	struct steps changes = { 0 };

	for (int64_t time = 0; time < 100; time++)
		steps_add(&changes, time, time + 1, time < 50 ? 3 : 5);
	assert_int_equal(changes.nr, 3);
	assert_int_equal(changes.list[1].time, 50);
	assert_true(changes.list[0].by == 3 && changes.list[1].by == 2 && changes.list[2].by == -5);
	steps_release(&changes);
}

/* From @least on, in @range ns. */
static void order(int64_t least, uint64_t range)
{
	struct steps changes = { 0 };
	int64_t last = (int64_t)((uint64_t)least + range);
	double sum = 0;

	srandom(1);
	for (int i = 0; i < NR; i++) {
		uint64_t later = ((uint64_t)random() << 31 | (uint64_t)random()) % range;
		int64_t from = (int64_t)((uint64_t)least + later);

		steps_add(&changes, from, i % 2 ? from + 1 : last, i);
	}
	steps_sort(&changes);
	for (size_t i = 0; i < changes.nr; i++) {
		assert_true(i == 0 || changes.list[i - 1].time <= changes.list[i].time);
		sum += changes.list[i].by;
	}
	assert_true(sum == 0);
	assert_true(range < NR || changes.nr > NR);
	steps_release(&changes);
}

TEST(they_come_in_the_order_of_time)
{
	struct steps none = { 0 };

	steps_sort(&none);
	assert_int_equal(none.nr, 0);
	order(0, 1);
	order(-5, 100);
	order(0, 2048);
	order(1000, 3600000000000);
	order(INT64_MIN, UINT64_MAX - 1);
}

/* Sums of 10,000 processes do not fit in memory. */
TEST(a_great_many_become_fewer)
{
	struct steps changes = { .to = 1000000000 };
	double now = 0, integral = 0, peak = 0;

	for (int process = 0; process < 10; process++)
		for (int64_t time = process; time < changes.to - 4000; time += 4000)
			steps_add(&changes, time, time + 2000, 1);
	for (int64_t time = 0; time < 1000000; time += 1000)
		steps_add(&changes, 500000000 + time, 500001000 + time, 7);
	steps_sort(&changes);
	assert_true(changes.nr <= STEPS_CELLS);
	for (size_t i = 0; i + 1 < changes.nr; i++) {
		now += changes.list[i].by;
		peak = now > peak ? now : peak;
		assert_true(changes.list[i].time < changes.list[i + 1].time);
		integral += now * (double)(changes.list[i + 1].time - changes.list[i].time);
	}
	assert_true(now + changes.list[changes.nr - 1].by == 0);
	assert_true(peak == 17);
	assert_true(integral > 5.006e9 && integral < 5.008e9);
	steps_release(&changes);
}

/* One of the two counters was read late. */
TEST(rates_that_meet_for_an_instant_are_not_added_up)
{
	static const struct step expected[] = { { 0, 1 }, { 20, -0.5 }, { 45, -0.5 } };
	struct steps changes = { 0 }, none = { 0 };

	steps_add(&changes, 0, 11, 1);
	steps_add(&changes, 11, 19, 0.875);
	steps_add(&changes, 18, 20, 1);
	steps_add(&changes, 20, 45, 0.5);
	steps_sort(&changes);
	steps_even_out(&changes, 10);		/* the last 15 are one stretch: 5 alone would be too short */
	assert_int_equal(changes.nr, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(changes.list[i].time, expected[i].time);
		assert_true(changes.list[i].by == expected[i].by);
	}
	steps_even_out(&changes, 0);
	assert_int_equal(changes.nr, 3);
	steps_even_out(&none, 10);
	assert_int_equal(none.nr, 0);
	steps_release(&changes);
}
