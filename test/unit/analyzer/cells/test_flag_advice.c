/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * analyzer/cells/flag_advice: which functions should have no hooks. Models are made by hand: name, file,
 * calls, ns a call.
 */
#include <math.h>

#include "analyzer/cells/flag_advice.h"
#include "test/unit/unit.h"

#define FUNCTIONS_MAX 8
#define LIST "/usr/include/c++/12/bits/stl_vector.h"

struct given {
	const char *name;
	const char *file;
	uint64_t calls;
	double self_ns;			/* of a call */
	double total_ns;
};

struct made {
	struct model model;
	struct function functions[FUNCTIONS_MAX];
	struct function *list[FUNCTIONS_MAX];
};

static void find(struct excludes *excludes, const struct given *given, size_t nr)
{
	struct made made = { .model = { .nr_functions = nr } };

	made.model.functions = made.list;
	for (size_t i = 0; i < nr; i++) {
		struct function *function = &made.functions[i];

		made.list[i] = function;
		function->name = function->short_name = given[i].name;
		function->file = given[i].file;
		function->resolved = true;
		function->stats.calls = function->stats.known_calls = given[i].calls;
		function->stats.self_ns = given[i].self_ns * (double)given[i].calls;
		function->stats.total_ns = function->stats.duration_ns =
			given[i].total_ns * (double)given[i].calls;
		made.model.calls += given[i].calls;
		made.model.functions_ns += function->stats.self_ns;
	}
	excludes_find(excludes, &made.model);
}

TEST(headers_of_others_go_as_a_whole)
{
	static const struct given given[] = {
		{ "main", "/home/a/app.cpp", 1, 5000000, 9000000 },
		{ "std::vector<int>::size", LIST, 10000, 20, 20 },
		{ "Eigen::Matrix::rows", "/usr/include/eigen3/Eigen/src/Core/Matrix.h", 5000, 30, 30 },
		{ "work", "/home/a/app.cpp", 100, 20000, 30000 },
	};
	struct excludes excludes;

	find(&excludes, given, 4);
	assert_string_equal(excludes.files, "/include/c++/,/usr/include/eigen3/");
	assert_string_equal(excludes.functions, "");
	assert_int_equal(excludes.short_calls, 15000);
	assert_int_equal(excludes.calls_left, 101);
	excludes_release(&excludes);
}

TEST(headers_of_the_program_go_where_nearly_all_of_them_is_short)
{
	static const struct given given[] = {
		{ "main", "/home/a b/app.cpp", 1, 5000000, 9000000 },
		{ "Board::at", "/home/a b/board.h", 10000, 20, 20 },
		{ "Board::width", "/home/a b/board.h", 5000, 20, 20 },
		{ "Tree::left", "/home/a b/tree.hpp", 5000, 20, 20 },
		{ "Tree::right", "/home/a b/tree.hpp", 5000, 20, 20 },
		{ "Tree::balance", "/home/a b/tree.hpp", 100, 800, 20000 },
		{ "clip", "/home/a b/clip.h", 5000, 20, 20 },
		{ "score", "/home/a b/app.cpp", 5000, 20, 20 },
	};
	struct excludes excludes;

	find(&excludes, given, 8);
	assert_string_equal(excludes.files, "board.h");
	assert_string_equal(excludes.functions, "Tree::left,Tree::right,clip,score");
	assert_int_equal(excludes.calls_left, 101);
	excludes_release(&excludes);
}

TEST(a_header_whose_name_is_part_of_one_worth_seeing_is_not_used)
{
	static const struct given given[] = {
		{ "first", "/home/a/board.h", 10000, 20, 20 },
		{ "second", "/home/a/board.h", 10000, 20, 20 },
		{ "solve", "/home/a/keyboard.h", 10, 1000000, 1000000 },
	};
	struct excludes excludes;

	find(&excludes, given, 3);
	assert_string_equal(excludes.files, "");
	assert_string_equal(excludes.functions, "first,second");
	excludes_release(&excludes);
}

TEST(not_where_time_is_spent_in_them)
{
	static const struct given given[] = {
		{ "decode", "/usr/include/stb/stb_image.h", 10, 1000000, 2000000 },
		{ "paeth", "/usr/include/stb/stb_image.h", 10000, 20, 20 },
		{ "get8", "/usr/include/stb/stb_image.h", 4000, 30, 60 },
	};
	struct excludes excludes;

	find(&excludes, given, 3);
	assert_string_equal(excludes.files, "");
	assert_string_equal(excludes.functions, "paeth,get8");
	assert_int_equal(excludes.calls_left, 10);
	excludes_release(&excludes);
}

TEST(a_name_that_is_part_of_one_worth_seeing_is_not_used)
{
	static const struct given given[] = {
		{ "get_all", "/home/a/app.c", 10, 1000000, 2000000 },
		{ "get", "/home/a/app.c", 10000, 20, 20 },
		{ "put", "/home/a/app.c", 9000, 20, 20 },
		{ "put_it", "/home/a/app.c", 10, 20, 20 },
	};
	struct excludes excludes;

	find(&excludes, given, 4);
	assert_string_equal(excludes.functions, "put");
	assert_int_equal(excludes.calls_left, 10010);
	excludes_release(&excludes);
}

TEST(lists_hold_nothing_that_a_shell_or_gcc_would_take_apart)
{
	static const struct given given[] = {
		{ "main", "/home/a/app.cpp", 1, 5000000, 9000000 },
		{ "Pool<int, char>::width", "/home/a/app.cpp", 10000, 20, 20 },
		{ "Pool<int, char>::operator[]", "/home/a/app.cpp", 9000, 20, 20 },
		{ "a b'; rm \"x\",y", "/home/a/app.cpp", 8000, 20, 20 },
		{ "(anonymous namespace)::hidden", "/home/a/app.cpp", 7000, 20, 20 },
		{ "odd", "/usr/include/a b/$x/odd.h", 6000, 20, 20 },
	};
	struct excludes excludes;

	find(&excludes, given, 6);
	assert_string_equal(excludes.files, "");
	assert_string_equal(excludes.functions, "::width,::hidden,odd");
	excludes_release(&excludes);
}

TEST(nothing_where_few_calls_are_short)
{
	static const struct given given[] = {
		{ "work", "/home/a/app.cpp", 10000, 20000, 30000 },
		{ "tiny", "/home/a/app.cpp", 9000, 20, 20 },
	};
	struct excludes excludes;

	find(&excludes, given, 2);
	assert_string_equal(excludes.functions, "");
	assert_int_equal(excludes.calls_left, 19000);
	excludes_release(&excludes);
}

TEST(hooks_that_cost_more_than_the_work_are_dear)
{
	struct function functions[2] = {
		{ .name = "work",
		  .short_name = "work",
		  .resolved = true,
		  .stats = { .calls = 1000, .known_calls = 1000, .self_ns = 100000, .hooks_ns = 50000 } },
		{ .name = "tiny",
		  .short_name = "tiny",
		  .resolved = true,
		  .stats = { .calls = 99000,
			     .known_calls = 99000,
			     .self_ns = 1000000,
			     .hooks_ns = 4000000 } },
	};
	struct function *list[] = { &functions[0], &functions[1] };
	struct thread threads[2] = { { .calls = 75000 }, { .calls = 25000 } },
		      *of_process[] = { &threads[0], &threads[1] };
	struct process process = { .threads = of_process, .nr_threads = 2 }, *processes[] = { &process };
	struct model model = { .functions = list,
			       .nr_functions = 2,
			       .calls = 100000,
			       .functions_ns = 1100000,
			       .end = 10000000,
			       .processes = processes,
			       .nr_processes = 1,
			       .nr_runs = 1 };
	struct excludes excludes;

	threads[0].process = threads[1].process = &process;
	process.model = &model;
	excludes_find(&excludes, &model);
	assert_string_equal(excludes.functions, "tiny");
	assert_int_equal(excludes.short_calls, 99000);
	assert_int_equal(excludes.calls_left, 1000);
	assert_true(excludes_is_dear(&functions[1]) && !excludes_is_dear(&functions[0]));
	excludes_release(&excludes);
}
