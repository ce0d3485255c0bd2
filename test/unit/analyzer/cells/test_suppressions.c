/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/cells/suppressions: patterns as LeakSanitizer reads them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyzer/cells/suppressions.h"

static void a_pattern_is_found_anywhere(void **state)
{
	(void)state;
	assert_true(suppression_matches("load", "reload_all"));
	assert_true(suppression_matches("", "anything"));
	assert_false(suppression_matches("load", "lad"));
	assert_false(suppression_matches("load", "loa"));
}

static void anchors_hold_it_to_the_ends(void **state)
{
	(void)state;
	assert_true(suppression_matches("^load", "load_all"));
	assert_false(suppression_matches("^load", "reload"));
	assert_true(suppression_matches("load$", "reload"));
	assert_false(suppression_matches("load$", "load_all"));
	assert_true(suppression_matches("load$", "load_load"));
	assert_true(suppression_matches("^load$", "load"));
	assert_false(suppression_matches("^load$", "loadload"));
}

static void stars_stand_for_anything(void **state)
{
	(void)state;
	assert_true(suppression_matches("a*c", "xabbcx"));
	assert_false(suppression_matches("a*c", "cba"));
	assert_true(suppression_matches("^a*b*c$", "a--b--b--c"));
	assert_false(suppression_matches("^a*b*c$", "a--c--b"));
	assert_true(suppression_matches("*.so", "/lib/libx.so.1"));
	assert_true(suppression_matches("ab*b$", "abb"));
	assert_false(suppression_matches("ab*b$", "ab"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pattern_is_found_anywhere),
		cmocka_unit_test(anchors_hold_it_to_the_ends),
		cmocka_unit_test(stars_stand_for_anything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
