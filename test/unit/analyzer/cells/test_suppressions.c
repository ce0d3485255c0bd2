/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/cells/suppressions: patterns as LeakSanitizer reads them. */

#include "analyzer/cells/suppressions.h"
#include "test/unit/unit.h"

TEST(a_pattern_is_found_anywhere)
{
	assert_true(suppression_matches("load", "reload_all"));
	assert_true(suppression_matches("", "anything"));
	assert_false(suppression_matches("load", "lad"));
	assert_false(suppression_matches("load", "loa"));
}

TEST(anchors_hold_it_to_the_ends)
{
	assert_true(suppression_matches("^load", "load_all"));
	assert_false(suppression_matches("^load", "reload"));
	assert_true(suppression_matches("load$", "reload"));
	assert_false(suppression_matches("load$", "load_all"));
	assert_true(suppression_matches("load$", "load_load"));
	assert_true(suppression_matches("^load$", "load"));
	assert_false(suppression_matches("^load$", "loadload"));
}

TEST(stars_stand_for_anything)
{
	assert_true(suppression_matches("a*c", "xabbcx"));
	assert_false(suppression_matches("a*c", "cba"));
	assert_true(suppression_matches("^a*b*c$", "a--b--b--c"));
	assert_false(suppression_matches("^a*b*c$", "a--c--b"));
	assert_true(suppression_matches("*.so", "/lib/libx.so.1"));
	assert_true(suppression_matches("ab*b$", "abb"));
	assert_false(suppression_matches("ab*b$", "ab"));
}
