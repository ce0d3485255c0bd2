/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload/common/base: which names a list selects. */

#include "preload/common/base/settings.h"
#include "test/unit/unit.h"

TEST(globs_select_names)
{
	assert_true(programs_select("all", "anything"));
	assert_true(programs_select("app", "app"));
	assert_false(programs_select("app", "apps"));
	assert_false(programs_select("apps", "app"));
	assert_true(programs_select("a*", "app"));
	assert_true(programs_select("*", "app"));
	assert_true(programs_select("*p", "app"));
	assert_true(programs_select("a?p", "app"));
	assert_false(programs_select("a?p", "ap"));
	assert_true(programs_select("*a*b*c", "xaaybbzbc"));
	assert_false(programs_select("*a*b*c", "xaaybbzbcd"));
	assert_false(programs_select("all", "") && programs_select("a", ""));
	assert_true(programs_select("cc1*,app", "cc1plus"));
	assert_true(programs_select("cc1*:app", "app"));
	assert_false(programs_select("cc1*,app", "cc"));
	assert_true(programs_select("x,all*", "all"));
}

TEST(an_exclamation_mark_excludes)
{
	assert_false(programs_select("!sh", "sh"));
	assert_true(programs_select("!sh", "app"));
	assert_false(programs_select("!sh,!b*", "bash"));
	assert_false(programs_select("a*,!app", "app"));
	assert_false(programs_select("!app,a*", "app"));
	assert_true(programs_select("!app,a*", "apt"));
	assert_false(programs_select("!app,a*", "sh"));
}

/* Empty items are none; a list without any selects all, as one that is not set. */
TEST(empty_items_are_none)
{
	assert_true(programs_select("", "app"));
	assert_true(programs_select(",", "app"));
	assert_true(programs_select("!", "app"));
	assert_false(programs_select(",sh,", "app"));
	assert_true(programs_select("sh,,app", "app"));
}
