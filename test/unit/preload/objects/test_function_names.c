/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * preload/objects/function_names: names of symbols as people write them. Symbols are those that compilers
 * make, names c++filt's.
 */

#include "preload/objects/function_names.h"
#include "test/unit/unit.h"

TEST(names_are_plain)
{
	static const struct {
		const char *symbol;
		const char *name;		/* NULL: left to a real demangler */
	} cases[] = {
		{ "_Z3fooi", "foo" },
		{ "_ZL6staticv", "static" },
		{ "_ZN6shapes6circle4areaEv", "shapes::circle::area" },
		{ "_ZNK6shapes6circle4areaEv", "shapes::circle::area" },
		{ "_ZN6shapes6circleC2Ev", "shapes::circle::circle" },
		{ "_ZN6shapes6circleD0Ev", "shapes::circle::~circle" },
		{ "_ZN12_GLOBAL__N_13fooEv", "(anonymous namespace)::foo" },
		{ "_Z5twiceIiET_S0_", "twice" },
		{ "_ZN5IndexIiLi12EE6insertEi", "Index::insert" },
		{ "_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector::push_back" },
		{ "_ZSt4sortIPiEvT_S1_", "std::sort" },
		{ "_ZN3fooplERKS_", NULL },
		{ "_ZN3foo", NULL },
		{ "_ZN99foo3barE", NULL },
		{ "_ZN99999999999999999999fE", NULL },
		{ "_ZN1AI", NULL },
		{ "_Z", NULL },
		{ "main", NULL },
		{ "__numbers_MOD_square", "numbers::square" },
		{ "total_", "total" },
		{ "_", NULL },
		{ "", NULL },
	};
	char name[64];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		bool has_name = symbol_plain_name(cases[i].symbol, name, sizeof(name));

		if (has_name != !!cases[i].name)
			fail_msg("%s: %s", cases[i].symbol, has_name ? name : "no name");
		if (has_name)
			assert_string_equal(name, cases[i].name);
	}
}

TEST(a_name_that_does_not_fit_is_none)
{
	char name[8];

	assert_true(symbol_plain_name("_ZN1a5bcdE", name, 5) == false);
	assert_true(symbol_plain_name("_Z7sevenchv", name, sizeof(name)));
	assert_false(symbol_plain_name("_Z8eightchrv", name, sizeof(name)));
}
