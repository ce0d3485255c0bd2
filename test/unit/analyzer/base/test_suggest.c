/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/base/suggest: names that were perhaps meant. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/names.h"
#include "test/unit/unit.h"

static const char *const names[] = {
	"functions", "tree", "calls", "callers", "self_ns", "self_percent", "total_ns", "Index::insert", NULL
};

static void assert_nearest(const char *wanted, const char *expected)
{
	struct nearest nearest = { .wanted = wanted };
	char *text;

	for (size_t i = 0; names[i]; i++)
		nearest_add(&nearest, names[i]);
	text = nearest_text(&nearest);
	assert_string_equal(text, expected);
	free(text);
}

TEST(slips_of_the_keyboard_are_near)
{
	assert_nearest("fucntions", "; did you mean functions?");
	assert_nearest("Functionss", "; did you mean functions?");
	assert_nearest("tre", "; did you mean tree?");
	assert_nearest("treee", "; did you mean tree?");
	assert_nearest("caller", "; did you mean callers or calls?");
}

TEST(parts_and_members_are_near)
{
	assert_nearest("self", "; did you mean self_ns or self_percent?");
	assert_nearest("_ns", "; did you mean self_ns or total_ns?");
	assert_nearest("inserts", "; did you mean Index::insert?");
}

TEST(what_is_far_is_not_named)
{
	char *far = calloc(1, 1000);

	assert_nearest("", "");
	assert_nearest("x", "");
	assert_nearest("zzzz", "");
	assert_nearest(memset(far, 'q', 999), "");
	free(far);
}

TEST(three_at_most_the_nearest_first)
{
	struct nearest nearest = { .wanted = "abcdef" };
	char *text;

	nearest_add(&nearest, "abxxef");
	nearest_add(&nearest, "abcxef");
	nearest_add(&nearest, "abcxef");
	nearest_add(&nearest, "abcdxx");
	nearest_add(&nearest, "abcdef2");
	text = nearest_text(&nearest);
	assert_string_equal(text, "; did you mean abcdef2, abcxef or abxxef?");
	free(text);
}
