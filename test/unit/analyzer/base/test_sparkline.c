/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/base: curves in one line, and what a terminal can show of them. */
#include <stdlib.h>

#include "analyzer/base/terminal.h"
#include "test/unit/unit.h"

static void assert_line(const struct sparkline *line, double top, const char *expected)
{
	char *text = sparkline_text(line, top);

	assert_string_equal(text, expected);
	free(text);
}

TEST(bars_go_from_zero_to_the_top)
{
	struct sparkline line;

	sparkline_init(&line, 4);
	sparkline_add(&line, 0, 0);
	sparkline_add(&line, 0.25, 4);
	sparkline_add(&line, 0.5, 7.9);
	sparkline_add(&line, 1, 8);
	assert_line(&line, 8, "▁▅██");
	assert_line(&line, 0, "▁▁▁▁");
	sparkline_release(&line);
}

TEST(a_step_keeps_its_largest_and_an_empty_one_the_last)
{
	struct sparkline line;

	sparkline_init(&line, 4);
	sparkline_add(&line, 0.3, 8);
	sparkline_add(&line, 0.31, 1);
	sparkline_add(&line, 0.9, 1);
	sparkline_add(&line, -1, 8);
	assert_line(&line, 8, " ██▂");
	sparkline_release(&line);
}

static void assert_shows(bool utf8, const char *text, const char *expected)
{
	struct terminal terminal = { .utf8 = utf8 };
	char *shown = terminal_text(&terminal, text);

	assert_string_equal(shown, expected);
	free(shown);
}

TEST(ascii_stands_for_what_a_terminal_lacks)
{
	assert_shows(true, "a▁█…é", "a▁█…é");
	assert_shows(false, "a▁█…é", "a_#...?");
}

TEST(control_characters_do_not_reach_the_terminal)
{
	assert_shows(true, "a\033[31mb\x7f", "a?[31mb?");
	assert_shows(false, "\xff\xfe", "??");
	assert_shows(false, "\xe2", "?");
}
