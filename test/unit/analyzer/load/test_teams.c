/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts that threads took in parallel regions which other threads began. */
#include "analyzer/model/model.h"
#include "analyzer/model/tree_walk.h"
#include "test/unit/build_model.h"
#include "test/unit/unit.h"

/* The first path of @function, NULL: none. */
static struct tree_node *path_of(const struct model *model, const char *region, uint64_t addr)
{
	for (struct tree_node *node = tree_next(model->root); node; node = tree_next(node))
		if (region ? node->function->region && strcmp(node->function->region, region) == 0
			   : !node->function->region && node->function->addr == addr - APP_BEGIN)
			return node;
	return NULL;
}

/* main 100 ms > f 60 ms. The thread that is read first took part in its region: 50 ms, of which f 20 ms. */
TEST(a_part_stands_below_what_began_it_and_is_in_no_total_there)
{
	struct build build;
	struct log_thread *worker = build_begin(&build), *first = build_thread(&build, "first");
	struct log_node *main = build_node(&build, first, &first->root, MAIN);
	struct log_node *f = build_node(&build, first, main, F);
	struct log_node *part =
		build_node(&build, worker, &worker->root, log_team_function(build_ref(&build, f)));
	struct log_node *ff = build_node(&build, worker, part, F);
	const struct tree_node *path;
	struct function *function;
	struct model *model;

	build_call(f, 60 * MS, 0);
	build_call(main, 100 * MS, 60 * MS);
	build_call(ff, 20 * MS, 0);
	build_call(part, 50 * MS, 20 * MS);
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	path = path_of(model, LOG_NAME_OF_TEAMS, 0);
	assert_non_null(path);
	assert_ptr_equal(path->parent, path_of(model, NULL, F));
	assert_int_equal(path->depth, 3);
	assert_int_equal(tree_level(path), 0);
	assert_int_equal(tree_level(path->child), 1);
	assert_false(tree_is_recursion(path->child));
	assert_true(path_stats(path).total_ns == 50e6);
	assert_true(path_stats(path->parent).total_ns == 60e6 && path_stats(path->parent).self_ns == 60e6);
	assert_true(path_stats(path->parent->parent).self_ns == 40e6);
	function = build_function(model, F - APP_BEGIN);
	assert_int_equal(function->stats.calls, 2);
	assert_true(function->stats.total_ns == 80e6 && function->stats.self_ns == 80e6);
	assert_true(model->functions_ns == 150e6);
	assert_true(model->processes[0]->threads[0]->functions_ns == 50e6);
	build_free(&build, model);
}

TEST(parts_that_began_within_each_other_are_damage_that_loses_no_calls)
{
	struct build build;
	struct log_thread *thread = build_begin(&build), *other = build_thread(&build, "other");
	struct log_node *part = build_node(&build, thread, &thread->root, log_team_function(1));
	struct log_node *f = build_node(&build, thread, part, F);
	struct log_node *its = build_node(&build, other, &other->root,
					  log_team_function(build_ref(&build, f)));
	struct log_node *g = build_node(&build, other, its, G);
	struct model *model;

	part->function_addr = log_team_function(build_ref(&build, g));
	build_call(f, 10 * MS, 0);
	build_call(part, 20 * MS, 10 * MS);
	build_call(g, 30 * MS, 0);
	build_call(its, 40 * MS, 30 * MS);
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	assert_int_equal(model->calls, 4);
	assert_true(model->functions_ns == 60e6);
	build_free(&build, model);
}

TEST(a_part_whose_beginning_is_not_known_stands_at_the_root)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *part = build_node(&build, thread, &thread->root, log_team_function(UINT32_MAX));
	struct model *model;

	build_call(part, 20 * MS, 0);
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	assert_ptr_equal(path_of(model, LOG_NAME_OF_TEAMS, 0)->parent, model->root);
	assert_true(model->functions_ns == 20e6);
	build_free(&build, model);
}
