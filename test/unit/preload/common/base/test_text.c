/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload/common/base/text: building, comparing and parsing text without libc. */
#include <errno.h>
#include <string.h>

#include "preload/common/base/text.h"
#include "test/unit/unit.h"

TEST(what_does_not_fit_is_cut_and_terminated)
{
	char buffer[8];
	struct text text;

	memset(buffer, 'x', sizeof(buffer));
	text_init(&text, buffer, sizeof(buffer));
	text_add(&text, "abc");
	assert_false(text.cut);
	text_add(&text, "defghi");
	assert_true(text.cut);
	assert_string_equal(buffer, "abcdefg");
}

TEST(an_exact_fit_is_not_cut)
{
	char buffer[8];
	struct text text;

	text_init(&text, buffer, sizeof(buffer));
	text_add_bytes(&text, "1234567", 7);
	assert_false(text.cut);
	assert_string_equal(buffer, "1234567");
	text_add_char(&text, '8');
	assert_true(text.cut);
	assert_string_equal(buffer, "1234567");
}

TEST(an_end_is_dropped_if_it_is_the_end)
{
	char text[] = "a (deleted)", other[] = "a (deleted) b", shorter[] = "ted";

	text_drop_end(text, " (deleted)");
	assert_string_equal(text, "a");
	text_drop_end(other, " (deleted)");
	assert_string_equal(other, "a (deleted) b");
	text_drop_end(shorter, "deleted");
	assert_string_equal(shorter, "ted");
}

TEST(numbers_of_any_size)
{
	char buffer[64];
	struct text text;

	text_init(&text, buffer, sizeof(buffer));
	text_add_number(&text, 0);
	text_add_char(&text, ' ');
	text_add_number(&text, UINT64_MAX);
	text_add_char(&text, ' ');
	text_add_padded(&text, 7, 3);
	text_add_char(&text, ' ');
	text_add_padded(&text, 12345, 3);
	text_add_char(&text, ' ');
	text_add_hex(&text, 0);
	text_add_char(&text, ' ');
	text_add_hex(&text, 0x10);
	text_add_char(&text, ' ');
	text_add_hex(&text, UINT64_MAX - 1);
	assert_string_equal(buffer, "0 18446744073709551615 007 12345 0 10 fffffffffffffffe");
}

TEST(errors_have_words_or_a_number)
{
	char buffer[64];
	struct text text;

	text_init(&text, buffer, sizeof(buffer));
	text_add_error(&text, ENOENT);
	assert_string_equal(buffer, "No such file or directory");
	text_init(&text, buffer, sizeof(buffer));
	text_add_error(&text, 4000);
	assert_string_equal(buffer, "error 4000");
}

TEST(comparing)
{
	assert_int_equal(text_length(""), 0);
	assert_int_equal(text_length("abc"), 3);
	assert_true(text_equal("", ""));
	assert_true(text_equal("abc", "abc"));
	assert_false(text_equal("abc", "ab"));
	assert_false(text_equal("ab", "abc"));
	assert_true(text_begins("abc", ""));
	assert_true(text_begins("abc", "ab"));
	assert_false(text_begins("ab", "abc"));
}

TEST(finding)
{
	const char *path = "/usr/bin/env";

	assert_ptr_equal(text_find(path, 'u'), path + 1);
	assert_null(text_find(path, 'x'));
	assert_string_equal(text_base_name(path), "env");
	assert_string_equal(text_base_name("env"), "env");
}

TEST(copying_cuts)
{
	char to[4];

	text_copy(to, sizeof(to), "ab");
	assert_string_equal(to, "ab");
	text_copy(to, sizeof(to), "abcdef");
	assert_string_equal(to, "abc");
}

TEST(reading_numbers_moves_on)
{
	const char *at = "  12 \t340\n";
	uint64_t number = 0;

	assert_int_equal(text_read_u64(&at, &number), 0);
	assert_int_equal(number, 12);
	assert_int_equal(text_read_u64(&at, &number), 0);
	assert_int_equal(number, 340);
	assert_int_equal(text_read_u64(&at, &number), -EINVAL);
}

TEST(reading_numbers_knows_its_limit)
{
	const char *largest = "18446744073709551615", *larger = "18446744073709551616",
		   *huge = "99999999999999999999999";
	uint64_t number = 0;

	assert_int_equal(text_read_u64(&largest, &number), 0);
	assert_true(number == UINT64_MAX);
	assert_int_equal(text_read_u64(&larger, &number), -ERANGE);
	assert_int_equal(text_read_u64(&huge, &number), -ERANGE);
}

struct value {
	const char *text;
	uint64_t number;
};

TEST(sizes)
{
	static const struct value good[] = {
		{ "0", 0 }, { "4096", 4096 }, { "1K", 1024 }, { "64M", 64ull << 20 }, { "1.5G", 3ull << 29 },
		{ "2T", 2ull << 40 }, { "64m", 64ull << 20 },
	};
	static const char *const bad[] = { "",	   "M",	   "-1",	"1X",  "64MM", "1 2",
					   "1.K5", "0x10", "99999999T", "1e3", "64M " };
	uint64_t bytes;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(text_parse_size(good[i].text, &bytes), 0);
		assert_int_equal(bytes, good[i].number);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (text_parse_size(bad[i], &bytes) != -EINVAL)
			fail_msg("\"%s\" passes as a size", bad[i]);
}

TEST(times)
{
	static const struct value good[] = {
		{ "0", 0 }, { "100ns", 100 }, { "10us", 10000 }, { "1.5ms", 1500000 }, { "2s", 2000000000 },
		{ "0.5us", 500 },
	};
	static const char *const bad[] = { "",	   "10",    "us",  "10 us us",
					   "-1us", "10usx", "10u", "9999999999999s" };
	uint64_t ns;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(text_parse_time(good[i].text, &ns), 0);
		assert_int_equal(ns, good[i].number);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (text_parse_time(bad[i], &ns) != -EINVAL)
			fail_msg("\"%s\" passes as a time", bad[i]);
}

TEST(switches)
{
	static const char *const yes[] = { "on", "1", "yes" }, *const no[] = { "off", "0", "no" };
	bool on;

	for (int i = 0; i < 3; i++) {
		assert_int_equal(text_parse_switch(yes[i], &on), 0);
		assert_true(on);
		assert_int_equal(text_parse_switch(no[i], &on), 0);
		assert_false(on);
	}
	assert_int_equal(text_parse_switch("maybe", &on), -EINVAL);
	assert_int_equal(text_parse_switch("", &on), -EINVAL);
}
