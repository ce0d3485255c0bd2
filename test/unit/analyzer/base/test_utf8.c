/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/base/utf8: which bytes are a character, and which characters a terminal acts on. */
#include <locale.h>
#include <string.h>

#include "analyzer/base/utf8.h"
#include "test/unit/unit.h"

TEST(lengths_are_those_of_well_formed_characters)
{
	assert_int_equal(utf8_length("a"), 1);
	assert_int_equal(utf8_length("\xc3\xa9"), 2);
	assert_int_equal(utf8_length("\xe2\x82\xac"), 3);
	assert_int_equal(utf8_length("\xf0\x9f\x98\x80"), 4);
}

TEST(what_is_not_utf8_has_none)
{
	static const char *const wrong[] = { "\x80",
					     "\xff",
					     "\xc3",
					     "\xc3(",
					     "\xc0\x80",
					     "\xe0\x80\x80",
					     "\xed\xa0\x80",
					     "\xe2\x82",
					     "\xf0\x80\x80\x80",
					     "\xf4\x90\x80\x80",
					     "\xf5\x80\x80\x80" };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_equal(utf8_length(wrong[i]), 0);
}

TEST(controls_are_known)
{
	static const char *const controls[] = { "\x01",	    "\t",	"\n",		"\033",	       "\x7f",
						"\xc2\x80", "\xc2\x9b", "\xe2\x80\xae", "\xe2\x81\xa6" };
	static const char *const others[] = {
		" ", "~", "\xc2\xa0", "\xc3\x9b", "\xe2\x80\xa6", "\xe2\x96\x88", "\xe2\x81\xa0"
	};

	for (size_t i = 0; i < sizeof(controls) / sizeof(*controls); i++)
		assert_false(utf8_first(controls[i]).is_shown);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_true(utf8_first(others[i]).is_shown);
}

TEST(widths_are_those_of_a_terminal)
{
	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	assert_int_equal(utf8_columns("abc"), 3);
	assert_int_equal(utf8_columns("a…b"), 3);
	assert_int_equal(utf8_columns("日本"), 4);
	assert_int_equal(utf8_columns("e\xcc\x81"), 1);	/* with a combining accent */
	assert_int_equal(utf8_columns("\xff\t"), 2);
}

TEST(without_a_locale_each_character_takes_a_column)
{
	assert_non_null(setlocale(LC_CTYPE, "C"));
	assert_int_equal(utf8_columns("abc"), 3);
	assert_int_equal(utf8_columns("日本"), 2);
}

TEST(a_cut_text_ends_with_a_whole_character)
{
	static const char *const texts[][2] = {
		{ "", "" },
		{ "a", "a" },
		{ "\xc3\xa4", "\xc3\xa4" },
		{ "a\xc3", "a" },
		{ "\xc3", "" },
		{ "\xe2\x82\xac", "\xe2\x82\xac" },
		{ "b\xe2\x82", "b" },
		{ "b\xe2", "b" },
		{ "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80" },
		{ "c\xf0\x9f\x98", "c" },
		{ "\xff", "\xff" },
		{ "\x80\x80\x80\x80", "\x80\x80\x80\x80" },
		{ "\x80", "\x80" },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		char text[8];

		strcpy(text, texts[i][0]);
		utf8_drop_cut(text);
		assert_string_equal(text, texts[i][1]);
	}
}
