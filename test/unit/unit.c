/* SPDX-License-Identifier: GPL-3.0-or-later */
/* main() of each unit test, and a function that slices.c calls only with INSIDEME_VERBOSE. */
#include <stdlib.h>

#include "preload/calls/verbose_calls.h"
#include "test/unit/unit.h"

#define TESTS_MOST 100

static struct CMUnitTest tests[TESTS_MOST];
static size_t nr_tests;

void unit_add(const char *name, CMUnitTestFunction test, const CMFixtureFunction between[2])
{
	assert_in_range(nr_tests, 0, TESTS_MOST - 1);
	tests[nr_tests++] = (struct CMUnitTest){ name, test, between[0], between[1], NULL };
}

void verbose_call(const struct log_frame *frame, uint64_t end_ticks, bool broken)
{
	abort();
}

int main(void)
{
	return _cmocka_run_group_tests("tests", tests, nr_tests, before_all, after_all);
}
