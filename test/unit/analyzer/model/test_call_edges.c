/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/model/call_edges: who calls whom, from the call tree. */
#include <stdlib.h>

#include "analyzer/model/call_edges.h"
#include "test/unit/build_model.h"
#include "test/unit/unit.h"

/* 0: called by nothing that was recorded */
static const struct edge *find(const struct edges *edges, const struct model *model, uint64_t caller,
			       uint64_t function)
{
	for (size_t i = 0; i < edges->nr; i++)
		if (edges->list[i].caller == (caller ? build_function(model, caller - APP_BEGIN) : NULL) &&
		    edges->list[i].function == build_function(model, function - APP_BEGIN))
			return &edges->list[i];
	return NULL;
}

static void assert_edge(const struct edge *edge, uint64_t calls, double self_ms, double total_ms)
{
	assert_non_null(edge);
	assert_int_equal(edge->stats.calls, calls);
	assert_true(edge->stats.self_ns == self_ms * 1e6);
	assert_true(edge->stats.total_ns == total_ms * 1e6);
}

/*
 * main 100 ms > g 10, and > f 80 > f 60 > f 40 > g 5: of the f that f calls the outer 60 count, not 60 + 40.
 */
TEST(a_pair_adds_up_over_paths_and_once_within_itself)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *main = build_node(&build, thread, &thread->root, MAIN);
	struct log_node *f = build_node(&build, thread, main, F), *ff = build_node(&build, thread, f, F);
	struct log_node *fff = build_node(&build, thread, ff, F), *g = build_node(&build, thread, fff, G);
	struct log_node *main_g = build_node(&build, thread, main, G);
	struct model *model;
	struct edges edges;

	build_call(g, 5 * MS, 0);
	build_call(fff, 40 * MS, 5 * MS);
	build_call(ff, 60 * MS, 40 * MS);
	build_call(f, 80 * MS, 60 * MS);
	build_call(main_g, 4 * MS, 0);
	build_call(main_g, 6 * MS, 0);
	build_call(main, 100 * MS, 90 * MS);
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	edges_init(&edges, model);
	assert_int_equal(edges.nr, 5);
	assert_edge(find(&edges, model, 0, MAIN), 1, 10, 100);
	assert_edge(find(&edges, model, MAIN, F), 1, 20, 80);
	assert_edge(find(&edges, model, F, F), 2, 20 + 35, 60);
	assert_edge(find(&edges, model, F, G), 1, 5, 5);
	assert_edge(find(&edges, model, MAIN, G), 2, 10, 10);
	assert_null(find(&edges, model, G, MAIN));
	assert_int_equal(build_function(model, F - APP_BEGIN)->primitive_calls, 1);
	assert_int_equal(build_function(model, G - APP_BEGIN)->primitive_calls, 3);
	edges_release(&edges);
	build_free(&build, model);
}

/* Functions that are counted in copies within main() only: each is a new pair, so the list of pairs moves. */
TEST(callers_of_inlined_copies_are_new_pairs)
{
	const uint32_t nr = 100;
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *main = build_node(&build, thread, &thread->root, MAIN);
	struct model *model;
	struct process *process;
	struct edges edges;

	build.header->timing = LOG_TIMING_AUTO;
	build_call(main, 100 * MS, 0);
	for (uint32_t i = 0; i < nr; i++)
		build_counter(&build, thread, F + 16 * i, 1000 + i);
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	process = model->processes[0];
	assert_int_equal(process->nr_counted_sums, nr);
	for (uint32_t i = 0; i < nr; i++)
		process->counted_sums[i].caller = build_function(model, MAIN - APP_BEGIN);
	edges_init(&edges, model);
	for (uint32_t i = 0; i < nr; i++)
		assert_int_equal(find(&edges, model, MAIN, F + 16 * i)->stats.calls, 1000 + i);
	edges_release(&edges);
	build_free(&build, model);
}

TEST(no_calls_have_no_pairs)
{
	struct build build;
	struct model *model;
	struct edges edges;

	build_begin(&build);
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	edges_init(&edges, model);
	assert_int_equal(edges.nr, 0);
	edges_release(&edges);
	build_free(&build, model);
}
