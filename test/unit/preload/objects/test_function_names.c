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
		{ "_ZN3fooplERKS_", "foo::operator+" },
		{ "_ZN2OpclEi", "Op::operator()" },
		{ "_ZN2OpixEi", "Op::operator[]" },
		{ "_ZN2OpcvbEv", "Op::operator bool" },
		{ "_ZplRK2OpS1_", "operator+" },
		{ "_ZN2OpnwEm", "Op::operator new" },
		{ "_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()" },
		{ "_ZZN3app3runEiENKUlvE0_clEv", "app::run::{lambda()#2}::operator()" },
		{ "_ZZ3runRKSt6vectorIiSaIiEEENKUlvE_clEv", "run::{lambda()#1}::operator()" },
		{ "_ZN3app4GridIdLi5EE4stepEv", "app::Grid::step" },
		{ "_ZN1A1fB5cxx11Ev", "A::f[abi:cxx11]" },
		{ "_ZN1AB5cxx11C1Ev", "A[abi:cxx11]::A" },
		{ "_ZlsI1AEvT_", "operator<<" },
		{ "_ZZ4workPvENKUllE0_clEl", "work::{lambda(long)#2}::operator()" },
		{ "_ZN1AILN1b1cE2EEC1Ev", "A::A" },
		{ "_ZN1AIZL4workvEUlvE_E1fEv", "A::f" },
		{ "_ZN1AIZ4mainEUlvE_E1fEv", "A::f" },
		{ "_ZN12_GLOBAL__N_1L3fooEv", "(anonymous namespace)::foo" },
		{ "_ZN2OpzzEi", NULL },
		{ "_ZNZZZZZZZZZZZZZZZZZZZZZZZZZZZ", NULL },
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

TEST(names_with_template_arguments)
{
	static const struct {
		const char *symbol;
		const char *name;		/* NULL: left to a real demangler */
	} cases[] = {
		{ "_ZN3app4GridIdLi5EE4stepEv", "app::Grid<double, 5>::step" },
		{ "_Z5twiceIiET_S0_", "twice<int>" },
		{ "_ZN1BI1AEC1Ev", "B<A>::B" },
		{ "_ZlsI1AEvT_", "operator<< <A>" },
		{ "_ZN1AIPKcRKbE1fEv", "A<char const*, bool const&>::f" },
		{ "_ZN1AILb1ELj7ELln3EE1fEv", "A<true, 7u, -3l>::f" },
		{ "_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector<int, std::allocator<int> >::push_back" },
		{ "_ZN1AIN1b1cEE1fEv", "A<b::c>::f" },
		{ "_ZN1AIS_E1fEv", NULL },
		{ "_ZN1AIFvvEE1fEv", NULL },
		{ "_ZN1AI", NULL },
		{ "_ZN1AIPPPPPPPPPPPPPPPPPPPPPPPPPPPiE1fEv", NULL },
		{ "total_", NULL },
	};
	char name[64];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		bool has_name = symbol_short_name(cases[i].symbol, name, sizeof(name));

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
