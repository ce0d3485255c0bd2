/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/base/names: function names without parameters, fitted, matched. */
#include <locale.h>
#include <stdlib.h>

#include "analyzer/base/names.h"
#include "analyzer/base/utf8.h"
#include "test/unit/unit.h"

#define PUSH "std::vector<std::pair<int, A>, std::allocator<std::pair<int, A> > >::push_back"

static void assert_short(const char *name, const char *expected)
{
	char *text = name_short(name);

	assert_string_equal(text, expected);
	free(text);
}

static void assert_fit(const char *name, size_t width, const char *cut, const char *expected)
{
	char *text = name_fit(name, width, cut);

	assert_string_equal(text, expected);
	assert_true(utf8_columns(text) <= width);
	free(text);
}

TEST(parameters_return_type_and_qualifiers_go)
{
	assert_short("main", "main");
	assert_short("solver::step", "solver::step");
	assert_short("Index::insert(std::string const&, int)", "Index::insert");
	assert_short("void f<int>(int)", "f<int>");
	assert_short("unsigned long std::max<long>(long, long)", "std::max<long>");
	assert_short("decltype(auto) f<int>(int)", "f<int>");
	assert_short("A::get() const &", "A::get");
	assert_short("g [clone .isra.0]", "g");
	assert_short("B::g[abi:cxx11](int)", "B::g[abi:cxx11]");
	assert_short("void A::f<int>(int) const [clone ._omp_fn.1]", "A::f<int>._omp_fn.1");
	assert_short("f(int) [clone ._omp_fn.0] [clone .isra.0]", "f._omp_fn.0");
	assert_short("f(int) [clone ._omp_fn.0", "f._omp_fn.0");
}

TEST(operators_keep_their_symbols)
{
	assert_short("A::operator()(int) const", "A::operator()");
	assert_short("A::operator[](int)", "A::operator[]");
	assert_short("bool operator==(A const&, A const&)", "operator==");
	assert_short("A::operator->() const", "A::operator->");
	assert_short("A::operator unsigned long() const", "A::operator unsigned long");
	assert_short("operator new[](unsigned long)", "operator new[]");
	assert_short("operators::f(int)", "operators::f");
	assert_short("bool std::operator< <A<char> >(A<char> const&)", "std::operator< <A<char> >");
	assert_short("std::ostream& operator<< <char>(std::ostream&, char)", "operator<< <char>");
	assert_short("A<char, B> std::operator+<char, B>(A<char, B> const&, char)",
		     "std::operator+<char, B>");
	assert_short("bool std::operator==<int, B>(B*)", "std::operator==<int, B>");
	assert_short("auto operator-><int, A>(A)", "operator-><int, A>");
	assert_short("bool operator<=><int, A>(A, int)", "operator<=><int, A>");
}

TEST(what_is_inside_of_functions_keeps_its_scopes)
{
	assert_short("f(int) const::{lambda(int)#1}::operator()(int) const",
		     "f::{lambda(int)#1}::operator()");
	assert_short("(anonymous namespace)::f(char)", "(anonymous namespace)::f");
}

TEST(names_that_make_no_sense_do_no_harm)
{
	static const char *const names[] = { "",   "(",	     ")", "<", ">",   "operator", "f(",
					     "f<", "a<b>c>", "{", " ", "  x", "->" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		for (size_t width = 0; width < 8; width++)
			free(name_fit(names[i], width, "..."));
		free(name_short(names[i]));
	}
}

TEST(inner_template_arguments_go_first_then_outer_ones)
{
	assert_fit(PUSH, 80, "...", PUSH);
	assert_fit(PUSH, 70, "...", "std::vector<std::pair<...>, std::allocator<...> >::push_back");
	assert_fit(PUSH, 40, "...", "std::vector<...>::push_back");
	assert_fit(PUSH, 40, "…", "std::vector<…>::push_back");
	assert_fit("std::operator< <char, A<B> >", 22, "…", "std::operator< <…>");
}

#define SEARCH "(anonymous namespace)::search<((anonymous namespace)::NodeType)0>"

TEST(anonymous_namespaces_go_first)
{
	assert_fit(SEARCH, 80, "…", SEARCH);
	assert_fit(SEARCH, 24, "…", "…::search<(NodeType)0>");
	assert_fit(SEARCH, 18, "…", "…::search<…>");
}

TEST(the_end_of_a_name_tells_functions_of_a_template_apart)
{
	char *text = name_fit_end(SEARCH, 18, "…");

	assert_string_equal(text, "…arch<(NodeType)0>");
	free(text);
	free(name_fit_end("", 0, "…"));
}

TEST(then_scopes_then_the_middle)
{
	assert_fit(PUSH, 20, "…", "…::push_back");
	assert_fit("inventory::a_supermarket_of_goods::load", 24, "…", "invento…t_of_goods::load");
	assert_fit("a::bb::cc::function_name", 22, "...", "...::cc::function_name");
	assert_fit("a_function_with_a_long_name", 12, "...", "a_f...g_name");
	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	assert_fit("日本語日本語日本語", 10, "…", "日…日本語"); /* each takes two columns */
}

TEST(a_pattern_is_a_name_or_a_glob_with_or_without_parameters_and_template_arguments)
{
	assert_true(name_matches("Index::insert", "Index::insert(int)"));
	assert_true(name_matches("Index::insert(int)", "Index::insert(int)"));
	assert_true(name_matches("Index::*", "Index::insert(int)"));
	assert_true(name_matches("*insert", "void Index::insert<int>(int)"));
	assert_false(name_matches("*insert<long>", "void Index::insert<int>(int)"));
	assert_true(name_matches("*insert<int>", "void Index::insert<int>(int)"));
	assert_true(name_matches("A::operator[]", "A::operator[](int)"));
	assert_false(name_matches("insert", "Index::insert(int)"));
	assert_false(name_matches("", "f"));
}

TEST(copies_and_parts_have_the_name_of_their_function)
{
	static const struct { const char *name; size_t length;
	} names[] = {
		{ "dot.isra.0", 3 },
		{ "dot.constprop.1.isra.0", 3 },
		{ "dot.part.0.cold", 3 },
		{ "dot.cold", 3 },
		{ "dot", 3 },
		{ "_ZL3doti.isra.0", 8 },
		{ "run(int) [clone .part.1] [clone .cold]", 8 },
		{ "f(int, ...)", 11 },
		{ ".cold", 5 },
		{ "", 0 },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_int_equal(name_length_in_source(names[i].name), names[i].length);
}
