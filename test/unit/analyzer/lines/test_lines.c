/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/lines: stacks of samples, counted by line and function. */
#include <stdlib.h>

#include "analyzer/base/error.h"
#include "analyzer/lines/lines.h"
#include "test/unit/unit.h"

static struct function outer = { .number = 1 }, inner = { .number = 2 };

static struct code_place *place(size_t nr, const struct code_level *levels)
{
	struct code_place *made = xcalloc(1, sizeof(*made) + nr * sizeof(*levels));

	made->nr = nr;
	for (size_t i = 0; i < nr; i++)
		made->levels[i] = levels[i];
	return made;
}

static void take(struct model *model, struct code_place **places, size_t nr, double ns)
{
	struct line_stack stack = line_stack_begin(lines_of(model), 1, ns);

	for (size_t i = 0; i < nr; i++)
		line_stack_add(&stack, places[i], NULL);
}

static void assert_line(const struct line *line, const struct function *function, uint32_t number,
			double self_ns, double ns)
{
	assert_ptr_equal(line->of->function, function);
	assert_int_equal(line->number, number);
	assert_int_equal((int)line->samples.self_ns, (int)self_ns);
	assert_int_equal((int)line->samples.ns, (int)ns);
}

TEST(a_line_has_its_own_time_and_that_of_what_it_calls)
{
	struct model model = { .lines = NULL };
	struct code_place *places[] = { place(1, &(struct code_level){ &inner, "a.c", 7, NULL }),
					place(1, &(struct code_level){ &outer, "a.c", 20, NULL }) };
	const struct line **list;
	size_t nr;

	take(&model, places, 2, 4);
	take(&model, places + 1, 1, 3);
	list = lines_list(model.lines, &nr);
	assert_int_equal(nr, 2);
	assert_line(list[0], &inner, 7, 4, 4);
	assert_line(list[1], &outer, 20, 3, 7);
	assert_int_equal((int)list[1]->of->samples.ns, 7);
	free(list);
	free(places[0]);
	free(places[1]);
	lines_release(&model);
}

TEST(a_recursion_counts_once)
{
	struct model model = { .lines = NULL };
	struct code_place *calling = place(1, &(struct code_level){ &outer, "a.c", 20, NULL });
	struct code_place *places[] = { calling, calling, calling };
	const struct line **list;
	size_t nr;

	take(&model, places, 3, 4);
	list = lines_list(model.lines, &nr);
	assert_int_equal(nr, 1);
	assert_line(list[0], &outer, 20, 4, 4);
	assert_int_equal(list[0]->samples.nr, 1);
	free(list);
	free(calling);
	lines_release(&model);
}

/* One function that was inlined twice, and code of no line. */
TEST(inlined_functions_have_lines_of_their_own)
{
	struct model model = { .lines = NULL };
	const struct code_level first[] = { { &outer, "a.c", 20, NULL }, { &inner, "a.h", 7, NULL } },
				second[] = { { &outer, "a.c", 21, NULL }, { &inner, NULL, 0, NULL } };
	struct code_place *places[] = { place(2, first), place(2, second) };
	const struct line **list;
	size_t nr;

	take(&model, places, 1, 4);
	take(&model, places + 1, 1, 3);
	list = lines_list(model.lines, &nr);
	assert_int_equal(nr, 4);
	assert_line(list[0], &inner, 7, 4, 4);
	assert_line(list[1], &inner, 0, 3, 3);
	assert_line(list[2], &outer, 20, 0, 4);
	assert_line(list[3], &outer, 21, 0, 3);
	free(list);
	free(places[0]);
	free(places[1]);
	lines_release(&model);
}

/* The innermost code is in no known module: nobody's line has that as its own time. */
TEST(code_that_is_not_known_is_in_no_line)
{
	struct model model = { .lines = NULL };
	struct code_place *places[] = { NULL, place(1, &(struct code_level){ &outer, "a.c", 20, NULL }) };
	const struct line **list;
	size_t nr;

	take(&model, places, 2, 4);
	list = lines_list(model.lines, &nr);
	assert_int_equal(nr, 1);
	assert_line(list[0], &outer, 20, 0, 4);
	free(list);
	free(places[1]);
	lines_release(&model);
}
