/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/base: where lines end, and what is never broken. */
#include <locale.h>
#include <string.h>

#include "analyzer/base/terminal.h"
#include "test/unit/unit.h"

static void assert_line(const char *text, size_t width, const char *expected)
{
	assert_int_equal(wrap_length(text, width), strlen(expected));
	assert_memory_equal(text, expected, strlen(expected));
}

TEST(a_line_ends_at_the_last_blank_that_fits)
{
	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	assert_line("one two three", 20, "one two three");
	assert_line("one two three", 8, "one two");
	assert_line("one two three", 7, "one two");
	assert_line("one two\nthree", 20, "one two");
	assert_line("\xc3\xa9\xc3\xa9 two", 3, "\xc3\xa9\xc3\xa9");
	assert_line("日本 two", 5, "日本");
	assert_line("unbreakable two", 4, "unbreakable");
}

/* Pasted in part, the first line of this reports the newest run. */
TEST(a_command_is_never_broken)
{
	static const char text[] =
		"who used the processors: insideme-report -v functions 20261122-a --sort self_cpu_ns";

	assert_line(text, 200, text);
	for (size_t width = 24; width < sizeof(text) - 1; width++)
		assert_line(text, width, "who used the processors:");
	assert_line(text + 25, 10, text + 25);
	assert_line("see insideme-run --heap-sample ./a: it takes stacks", 45,
		    "see insideme-run --heap-sample ./a: it takes");
	assert_line("see insideme-run --heap-sample ./a: it takes stacks", 30, "see");
	assert_line("insideme-run --heap-sample ./a: it takes stacks", 20, "insideme-run --heap-sample ./a:");
	assert_line("insideme-report -v tree    the same by path", 40,
		    "insideme-report -v tree    the same by");
	assert_line("newest: insideme-report insideme.data/20261122-a", 40, "newest:");
}

TEST(what_is_said_of_a_program_is_no_command)
{
	assert_line("SIGKILL or a raw exit: insideme-run did not see which", 40,
		    "SIGKILL or a raw exit: insideme-run did");
}
