/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/base/units: numbers as people read them. */
#include <math.h>

#include "analyzer/base/units.h"
#include "test/unit/unit.h"

static const char *format(enum unit unit, double value)
{
	static char text[UNIT_TEXT_MAX];

	return unit_format(text, unit, value);
}

TEST(times_have_three_digits_and_a_unit)
{
	assert_string_equal(format(UNIT_NS, 0), "0");
	assert_string_equal(format(UNIT_NS, 18), "18 ns");
	assert_string_equal(format(UNIT_NS, 18.25), "18.2 ns");
	assert_string_equal(format(UNIT_NS, 3.456), "3.46 ns");
	assert_string_equal(format(UNIT_NS, 61000), "61.0 us");
	assert_string_equal(format(UNIT_NS, 1.21e6), "1.21 ms");
	assert_string_equal(format(UNIT_NS, 98.2e9), "98.2 s");
	assert_string_equal(format(UNIT_NS, 246.4e9), "246 s");
	assert_string_equal(format(UNIT_NS, 123456e9), "123456 s");
}

TEST(one_unit_for_all_times_or_sizes)
{
	assert_null(unit_keep_time("days"));
	assert_string_equal(format(UNIT_NS, 61000), "61.0 us");
	assert_string_equal(unit_keep_time("ms"), "ms");
	assert_string_equal(format(UNIT_NS, 61000), "0.0610 ms");
	assert_string_equal(format(UNIT_NS, 98.2e9), "98200 ms");
	assert_string_equal(format(UNIT_NS, -1.25e6), "-1.25 ms");
	assert_string_equal(format(UNIT_NS, 3.5), "0.00000350 ms");
	assert_string_equal(format(UNIT_NS, 0), "0");
	assert_string_equal(unit_keep_time("h"), "h");
	assert_string_equal(format(UNIT_NS, 5400e9), "1.50 h");
	assert_string_equal(format(UNIT_NS, 1), "0.000000000000278 h");
	assert_string_equal(format(UNIT_BYTES, 1536), "1.50 KiB");
	assert_string_equal(unit_keep_memory("MiB"), "MiB");
	assert_string_equal(format(UNIT_BYTES, 1536), "0.00146 MiB");
	assert_string_equal(format(UNIT_BYTES, 3u << 20), "3 MiB");
	assert_string_equal(format(UNIT_BYTES_RATE, 29.5 * (1 << 20)), "29.5 MiB/s");
	assert_string_equal(format(UNIT_COUNT, 10000), "10.0 k");
	unit_keep_time("");
	unit_keep_memory("");
}

TEST(one_core_is_one)
{
	assert_string_equal(format(UNIT_CORES, 1), "1 core");
	assert_string_equal(format(UNIT_CORES, 2), "2 cores");
	assert_string_equal(format(UNIT_CORES, 0.5), "0.50 cores");
}

TEST(rounding_up_reaches_the_next_unit)
{
	assert_string_equal(format(UNIT_NS, 999999.9), "1.00 ms");
	assert_string_equal(format(UNIT_NS, 9996), "10.0 us");
	assert_string_equal(format(UNIT_BYTES, 1048575), "1.00 MiB");
}

TEST(bytes_count_in_1024)
{
	assert_string_equal(format(UNIT_BYTES, 0), "0");
	assert_string_equal(format(UNIT_BYTES, 1023), "1023 B");
	assert_string_equal(format(UNIT_BYTES, 1024), "1.00 KiB");
	assert_string_equal(format(UNIT_BYTES, 2.31 * (1 << 30)), "2.31 GiB");
	assert_string_equal(format(UNIT_BYTES, -1536), "-1.50 KiB");
	assert_string_equal(format(UNIT_BYTES_RATE, 29.0 * (1 << 20)), "29.0 MiB/s");
}

TEST(counts_are_exact_up_to_four_digits)
{
	assert_string_equal(format(UNIT_COUNT, 0), "0");
	assert_string_equal(format(UNIT_COUNT, 9999), "9999");
	assert_string_equal(format(UNIT_COUNT, 10000), "10.0 k");
	assert_string_equal(format(UNIT_COUNT, 1.61e6), "1.61 M");
	assert_string_equal(format(UNIT_NONE, 1234567), "1234567");
}

TEST(bare_numbers_may_be_of_any_scale)
{
	assert_string_equal(format(UNIT_NONE, 1.25e-6), "1.25e-06");
	assert_string_equal(format(UNIT_NONE, -1.5e300), "-1.5e+300");
	assert_string_equal(format(UNIT_NONE, 0), "0");
}

TEST(percentages_never_hide_that_there_is_something)
{
	assert_string_equal(format(UNIT_PERCENT, 0), "0 %");
	assert_string_equal(format(UNIT_PERCENT, 0.01), "<0.1 %");
	assert_string_equal(format(UNIT_PERCENT, 39.94), "39.9 %");
	assert_string_equal(format(UNIT_PERCENT, 99.97), "100 %");
}

TEST(what_is_no_number_is_nothing)
{
	char text[UNIT_PLAIN_MAX];

	assert_string_equal(format(UNIT_NS, NAN), "");
	assert_string_equal(format(UNIT_BYTES, INFINITY), "");
	assert_string_equal(unit_plain(text, NAN), "");
}

TEST(plain_numbers_have_no_exponent_and_no_useless_zeros)
{
	char text[UNIT_PLAIN_MAX];

	assert_string_equal(unit_plain(text, 1234567890123.0), "1234567890123");
	assert_string_equal(unit_plain(text, 3.5), "3.5");
	assert_string_equal(unit_plain(text, 100), "100");
	assert_string_equal(unit_plain(text, -0.0001), "0");
	assert_string_equal(unit_plain(text, 0.1239), "0.124");
}
