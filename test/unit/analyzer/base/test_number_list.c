/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/base/number_list: what a list contains, and which texts are no list. */

#include "analyzer/base/number_list.h"
#include "test/unit/unit.h"

/* @members: bit i is set if @text contains i. */
static void assert_members(const char *text, uint64_t members)
{
	struct number_list list;

	assert_int_equal(number_list_parse(&list, text), 0);
	for (uint64_t i = 0; i < 64; i++)
		assert_int_equal(number_list_has(&list, i), members >> i & 1);
	number_list_release(&list);
}

TEST(numbers_and_ranges)
{
	assert_members("0", 1);
	assert_members("3", 1 << 3);
	assert_members("0,2-5", 0x3d);
	assert_members("9-9,1,4-5,1-2", 1 << 9 | 0x36);
	assert_members("0-18446744073709551615", UINT64_MAX);
	assert_members("007", 1 << 7);
}

TEST(what_is_no_list_is_refused)
{
	static const char *const texts[] = { "",
					     ",",
					     "1,",
					     ",1",
					     "1,,2",
					     "a",
					     "1a",
					     "1 ",
					     " 1",
					     "-1",
					     "1-",
					     "5-2",
					     "1-2-3",
					     "+1",
					     "0x1",
					     "1.5",
					     "18446744073709551616",
					     "1,2;3" };
	struct number_list list;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(number_list_parse(&list, texts[i]), -1);
		assert_null(list.ranges);
	}
}
