/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload/lease: whose turn it is to have rows of the machine, of processes that share a page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "preload/common/run/lease.h"

#define MS		1000000ull
#define PERIOD_NS	(100 * MS)

static struct log_run page;
static struct run run;
static struct lease one, other;

static int begin(void **state)
{
	(void)state;
	memset(&page, 0, sizeof(page));
	strcpy(page.boot_id, "boot");
	memset(&run, 0, sizeof(run));
	run.page = &page;
	strcpy(run.path, "/");
	lease_init(&one, &run, "boot");
	lease_init(&other, &run, "boot");
	return 0;
}

static bool take(struct lease *lease, uint64_t at_ms)
{
	return lease_take(lease, 5000 * MS + at_ms * MS, PERIOD_NS, 0);
}

static void one_of_two_has_all_turns_while_it_comes_back(void **state)
{
	(void)state;
	for (uint64_t ms = 0; ms < 1000; ms += 100) {
		assert_true(take(&one, ms));
		assert_false(take(&other, ms + 50));
		assert_true(lease_is_held(&one));
		assert_false(lease_is_held(&other));
	}
}

/* Killed, stopped, forked: it says nothing. */
static void who_does_not_come_back_loses_it(void **state)
{
	(void)state;
	assert_true(take(&one, 0));
	assert_false(take(&other, 199));
	assert_true(take(&other, 201));
	assert_false(lease_is_held(&one));
	assert_false(take(&one, 250));
	lease_leave(&one);		/* what it does not have */
	assert_true(lease_is_held(&other));
	assert_true(take(&one, 402));
	assert_false(take(&other, 403));
}

/* Its last turn is over, but nobody else came. */
static void who_comes_back_late_still_has_it(void **state)
{
	(void)state;
	assert_true(take(&one, 0));
	assert_true(take(&one, 5000));
	assert_true(lease_is_held(&one));
}

static void who_leaves_lets_others_have_it_at_once(void **state)
{
	(void)state;
	assert_true(take(&one, 0));
	lease_leave(&one);
	assert_false(lease_is_held(&one));
	assert_true(take(&other, 10));
	assert_false(take(&one, 20));
}

static void who_rests_waits_for_as_long(void **state)
{
	const uint64_t rest_ns = 1000 * MS;

	(void)state;
	assert_true(take(&one, 0));
	assert_false(lease_take(&other, 5000 * MS + 1100 * MS, PERIOD_NS, rest_ns));
	assert_true(lease_take(&other, 5000 * MS + 1201 * MS, PERIOD_NS, rest_ns));
	assert_true(lease_take(&other, 5000 * MS + 1300 * MS, PERIOD_NS, rest_ns));	/* its own */
}

static void a_time_that_nobody_wrote_is_no_turn(void **state)
{
	static const uint64_t nonsense[] = { UINT64_MAX, UINT64_MAX - 1000 * MS, 1ull << 62, 20000 * MS };

	(void)state;
	for (size_t i = 0; i < sizeof(nonsense) / sizeof(*nonsense); i++) {
		page.machine_until_ns = nonsense[i];
		assert_true(take(&one, i));
		assert_false(take(&other, i));
		lease_leave(&one);
	}
}

/* Of an interval of a day too: else a machine whose sampler was killed would have no rows for two. */
static void no_turn_lasts_long(void **state)
{
	(void)state;
	assert_true(lease_take(&one, 5000 * MS, 86400000 * MS, 0));
	assert_false(take(&other, 9000));
	assert_true(take(&other, 10001));
}

static void where_the_page_is_of_no_use_all_have_all_turns(void **state)
{
	static struct run other_run;

	(void)state;
	lease_init(&other, &run, "another boot");
	assert_true(take(&one, 0));
	assert_true(take(&other, 1));
	lease_init(&other, &run, "");
	assert_true(take(&other, 1));
	other_run = run;
	other_run.page_is_private = true;
	lease_init(&other, &other_run, "boot");
	assert_true(take(&other, 1));
	assert_true(lease_is_held(&other));
	lease_leave(&other);
	other_run = run;
	strcpy(other_run.path, "/nowhere");
	lease_init(&other, &other_run, "boot");
	assert_true(take(&other, 1));
	lease_init(&other, NULL, "boot");
	assert_true(take(&other, 1));
	assert_true(take(&one, 100));
	assert_true(lease_is_held(&one));
}

/* Who found the run by the log that programs share has the page mapped by and by. */
static void the_page_is_mapped_when_it_is_asked_for(void **state)
{
	static struct run made, found;
	const struct process_id creator = { .pid = 4321, .boot_id = "boot" };
	char directory[] = "/tmp/insideme-lease-XXXXXX", path[sizeof(directory) + 4];

	(void)state;
	assert_non_null(mkdtemp(directory));
	strcpy(made.path, directory);
	strcpy(found.path, directory);
	assert_int_equal(run_map_page(&made, &creator), 0);
	lease_init(&one, &made, "boot");
	lease_init(&other, &found, "boot");
	assert_true(take(&one, 0));
	assert_false(take(&other, 1));
	assert_non_null(found.page);
	run_leave(&found);
	run_take_back(&made);
	snprintf(path, sizeof(path), "%s/run", directory);
	assert_int_not_equal(access(path, F_OK), 0);
}

static void networks_are_counted_of_the_namespace_that_was_the_first(void **state)
{
	(void)state;
	take(&one, 0);
	take(&other, 1);
	assert_true(lease_has_network(&one));
	assert_true(lease_has_network(&other));
	assert_true(page.machine_network > 0);
	page.machine_network++;
	assert_false(lease_has_network(&one));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(one_of_two_has_all_turns_while_it_comes_back, begin),
		cmocka_unit_test_setup(who_does_not_come_back_loses_it, begin),
		cmocka_unit_test_setup(who_comes_back_late_still_has_it, begin),
		cmocka_unit_test_setup(who_leaves_lets_others_have_it_at_once, begin),
		cmocka_unit_test_setup(who_rests_waits_for_as_long, begin),
		cmocka_unit_test_setup(a_time_that_nobody_wrote_is_no_turn, begin),
		cmocka_unit_test_setup(no_turn_lasts_long, begin),
		cmocka_unit_test_setup(where_the_page_is_of_no_use_all_have_all_turns, begin),
		cmocka_unit_test_setup(the_page_is_mapped_when_it_is_asked_for, begin),
		cmocka_unit_test_setup(networks_are_counted_of_the_namespace_that_was_the_first, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
