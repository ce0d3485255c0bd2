/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/read/fields, analyzer/model/selector: which functions a rule means. */
#include <string.h>

#include "analyzer/model/selector.h"
#include "analyzer/read/fields.h"
#include "test/unit/unit.h"

static struct object app = { .path = "/opt/bin/app" };
static struct function insert = { .object = &app, .name = "Index::insert(int)", .short_name = "Index::insert",
	.file = "/src/index.cpp", .line = 7 };

TEST(a_pattern_is_a_name_a_file_or_a_module)
{
	static const char *const good[] = { "Index::insert",  "Index::insert(int)",
					    "Index::*",	      "*",
					    "index.cpp",      "/src/*",
					    "*.cpp",	      "index.cpp:Index::insert",
					    "*.cpp:Index::*", "app:*",
					    "*/app",	      "app:Index::insert" };
	static const char *const bad[] = { "",	    "insert",	   "app",
					   "index", "index.c",	   "index.cpp:remove",
					   "lib:*", "other.cpp:*", ":" };

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		if (!selector_matches(good[i], &insert))
			fail_msg("%s does not match", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (selector_matches(bad[i], &insert))
			fail_msg("%s matches", bad[i]);
}

TEST(the_first_rule_that_matches_holds)
{
	struct field_rules rules = { .nr = 0 };

	field_rules_parse(&rules, "test", "other = x;Index::* = the index ;\n# * = none\n  * = all");
	assert_int_equal(rules.nr, 3);
	assert_string_equal(field_rules_find(&rules, &insert), "the index");
	field_rules_release(&rules);
	field_rules_parse(&rules, "test", "other = x");
	assert_null(field_rules_find(&rules, &insert));
	field_rules_release(&rules);
}

TEST(what_is_no_rule_is_left_out)
{
	struct field_rules rules = { .nr = 0 };

	field_rules_parse(&rules, "test", "no rule; = nothing;;\n operator== = compare; a =");
	assert_int_equal(rules.nr, 2);
	assert_string_equal(rules.rules[0].pattern, "operator==");
	assert_string_equal(rules.rules[0].field, "compare");
	assert_string_equal(rules.rules[1].field, "");
	field_rules_release(&rules);
}
