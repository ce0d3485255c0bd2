/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * analyzer/model/run_parts: the share of each of several runs in a function; analyzer/profile: the same after
 * --save.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/model/resolve.h"
#include "analyzer/model/run_parts.h"
#include "analyzer/profile/profile.h"
#include "analyzer/runs/run.h"
#include "test/unit/build_model.h"
#include "test/unit/unit.h"

/*
 * main > f > f > g, each @calls times; main lasts 100 ms x calls, f 60 and within it 40, g 10, which
 * allocates 64 bytes.
 */
static void build_calls(struct build *build, uint64_t calls)
{
	struct log_thread *thread = build_begin(build);
	struct log_node *main = build_node(build, thread, &thread->root, MAIN),
			*f = build_node(build, thread, main, F);
	struct log_node *ff = build_node(build, thread, f, F), *g = build_node(build, thread, ff, G);
	struct log_heap *heap;

	for (uint64_t i = 0; i < calls; i++) {
		build_call(g, 10 * MS, 0);
		build_call(ff, 40 * MS, 10 * MS);
		build_call(f, 60 * MS, 40 * MS);
		build_call(main, 100 * MS, 60 * MS);
	}
	build->header->heap_bytes = LOG_HEAP_USABLE;
	heap = build_heap(build, thread, g);
	heap->alloc_calls = heap->free_calls = calls;
	heap->alloc_bytes = heap->freed_bytes = 64 * calls;
	heap->largest_bytes = 64;
	build_finish(build, NS_START + 1000 * MS, 0);
}

/* Runs of one log each, with 1, 5 and 3 calls of each path. */
static struct model *load_three(struct build_run *files, struct run runs[3])
{
	static const uint64_t calls[] = { 1, 5, 3 };
	struct model *model;

	*files = (struct build_run){ 0 };
	for (int i = 0; i < 3; i++) {
		struct build build;

		build_calls(&build, calls[i]);
		build_run_add(files, &build);
		runs[i] = (struct run){ .path = files->list[i], .logs = &files->list[i], .nr_logs = 1 };
	}
	model = model_load_runs(runs, 3, NULL);
	for (int i = 0; i < 3; i++)
		close(files->fds[i]);
	assert_non_null(model);
	return model;
}

enum { CALLS, SELF, TOTAL };

static void assert_range(const struct run_part *parts, size_t which, double min,
			 double mean, double max)
{
	struct part_range range = parts_range(parts, sizeof(*parts), which, 3);

	assert_float_equal(range.min, min, 1e-3);
	assert_float_equal(range.mean, mean, 1e-3);
	assert_float_equal(range.max, max, 1e-3);
}

/* f: two calls a round, 50 ms of its own and 60 in all, its recursion once; g: one allocation a round. */
static void assert_parts(const struct model *model)
{
	const struct function *f = build_function(model, F - APP_BEGIN),
			      *g = build_function(model, G - APP_BEGIN);
	const struct function *main = build_function(model, MAIN - APP_BEGIN);
	const uint64_t alloc_bytes[] = { 64, 320, 192 };

	assert_int_equal(model->nr_runs, 3);
	assert_int_equal(f->stats.calls, 18);
	assert_float_equal(f->stats.total_ns, 540e6, 1e-3);
	assert_range(f->parts, CALLS, 2, 6, 10);
	assert_range(f->parts, SELF, 50e6, 150e6, 250e6);
	assert_range(f->parts, TOTAL, 60e6, 180e6, 300e6);
	assert_range(parts_of_edge(model, main, f), CALLS, 1, 3, 5);
	assert_range(parts_of_edge(model, main, f), SELF, 20e6, 60e6, 100e6);
	assert_range(parts_of_edge(model, main, f), TOTAL, 60e6, 180e6, 300e6);
	assert_range(parts_of_edge(model, f, f), TOTAL, 40e6, 120e6, 200e6);
	assert_range(parts_of_edge(model, NULL, main), CALLS, 1, 3, 5);
	assert_null(parts_of_edge(model, main, g));
	assert_null(f->heap_parts);
	for (int i = 0; i < 3; i++) {
		assert_int_equal((uint64_t)g->heap_parts[i].alloc_bytes, alloc_bytes[i]);
		assert_int_equal((uint64_t)g->heap_parts[i].alloc_calls, alloc_bytes[i] / 64);
	}
}

TEST(each_run_has_its_part)
{
	struct build_run files;
	struct run runs[3];
	struct model *model = load_three(&files, runs);

	assert_parts(model);
	assert_float_equal(build_function(model, F - APP_BEGIN)->parts[1].total_ns, 300e6, 1e-3);
	model_free(model);
}

TEST(one_run_has_no_parts)
{
	struct build build;
	struct model *model;

	build_calls(&build, 2);
	model = build_load(&build);
	assert_int_equal(model->nr_runs, 1);
	assert_null(build_function(model, F - APP_BEGIN)->parts);
	build_free(&build, model);
}

TEST(a_saved_profile_has_the_same)
{
	char path[] = "profile-XXXXXX";
	struct run profile = { .path = path, .is_profile = true }, runs[3];
	struct build_run files;
	struct model *model = load_three(&files, runs);
	double p90 = function_percentile_ns(build_function(model, F - APP_BEGIN), 90, &(double){ 0 });

	close(mkstemp(path));
	resolve_names(model);
	assert_int_equal(profile_write(model, NULL, path), 0);
	model_free(model);
	model = model_load_runs(&profile, 1, NULL);
	unlink(path);
	assert_non_null(model);
	assert_parts(model);
	assert_int_equal(model->calls, 36);
	assert_int_equal(model->nr_tree_nodes, 5);
	assert_true(function_percentile_ns(build_function(model, F - APP_BEGIN), 90, &(double){ 0 }) == p90);
	assert_int_equal(model->processes[1]->calls, 20);
	model_free(model);
}
