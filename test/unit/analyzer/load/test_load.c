/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/model: what the nodes, heap counters and records of logs add up to. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/log/logfile.h"
#include "analyzer/model/model.h"
#include "analyzer/read/ends_read.h"
#include "test/unit/build_model.h"
#include "test/unit/unit.h"

/* main 100 ms > f 60 > f 40 > g 10: f's total is 60, not 100; its calls took 100 in all. */
TEST(recursion_counts_a_functions_total_once)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *main = build_node(&build, thread, &thread->root, MAIN);
	struct log_node *f = build_node(&build, thread, main, F), *ff = build_node(&build, thread, f, F);
	struct log_node *g = build_node(&build, thread, ff, G);
	struct model *model;
	struct function *function;

	build_call(g, 10 * MS, 0);
	build_call(ff, 40 * MS, 10 * MS);
	build_call(f, 60 * MS, 40 * MS);
	build_call(main, 100 * MS, 60 * MS);
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	function = build_function(model, F - APP_BEGIN);
	assert_non_null(function);
	assert_int_equal(function->stats.calls, 2);
	assert_true(function->stats.total_ns == 60e6);
	assert_true(function->stats.self_ns == 50e6);
	assert_true(function->stats.duration_ns == 100e6);
	assert_true(call_stats_mean_ns(&function->stats) == 50e6);
	assert_true(call_stats_stddev_ns(&function->stats) == 10e6);
	assert_true(function->stats.min_ns == 40e6 && function->stats.max_ns == 60e6);
	assert_int_equal(model->calls, 4);
	assert_true(model->functions_ns == 100e6);
	assert_int_equal(model->nr_functions, 3);
	assert_int_equal(model->nr_damaged, 0);
	build_free(&build, model);
}

/* Two threads, the second with f twice under main: hooks in a signal handler can make such siblings. */
TEST(siblings_and_threads_of_one_path_are_one_node)
{
	struct build build;
	struct log_thread *first = build_begin(&build), *second = build_thread(&build, "worker");
	struct log_node *main = build_node(&build, first, &first->root, MAIN),
			*f = build_node(&build, first, main, F);
	struct log_node *other = build_node(&build, second, &second->root, MAIN);
	struct log_node *f1 = build_node(&build, second, other, F),
			*f2 = build_node(&build, second, other, F);
	struct tree_node *node;
	struct model *model;

	build_call(f, 5 * MS, 0);
	build_call(main, 10 * MS, 5 * MS);
	build_call(f1, 1 * MS, 0);
	build_call(f2, 2 * MS, 0);
	build_call(f2, 3 * MS, 0);
	build_call(other, 20 * MS, 6 * MS);
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	assert_int_equal(model->nr_tree_nodes, 3);
	node = model->root->child;
	assert_null(node->next);
	assert_int_equal(node->sum.calls, 2);
	assert_int_equal(node->nr_threads, 2);
	node = node->child;
	assert_null(node->next);
	assert_int_equal(node->sum.calls, 4);
	assert_int_equal(node->nr_threads, 2);
	assert_true(path_stats(node).total_ns == 11e6);
	assert_true(model->processes[0]->threads[1]->functions_ns == 20e6);
	assert_int_equal(model->processes[0]->threads[1]->calls, 4);
	assert_string_equal(model->processes[0]->threads[1]->name, "worker");
	build_free(&build, model);
}

TEST(the_pending_bucket_is_counted)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *f = build_node(&build, thread, &thread->root, F);
	struct model *model;

	build_call(f, 1000, 0);
	build_call(f, 1001, 0);
	f->histogram[9]--;
	thread->pending_addr = build_addr(&build, &f->histogram[9]);
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	assert_int_equal(model->nr_damaged, 0);
	assert_int_equal(histogram_count(&model->functions[0]->histogram), 2);
	build_free(&build, model);
}

/* A place that calls of @path came from. */
static struct log_node *build_place(struct build *build, const struct log_thread *thread,
				    const struct log_node *path)
{
	struct log_area *area =
		build_area(build, LOG_AREA_CALL_PLACES, thread->head.self, LOG_AREA_ALIGN,
			   sizeof(*area) + 2 * sizeof(struct log_node));
	struct log_node *place = (struct log_node *)(area + 1) + 1;

	place->function_addr = 17ull << 32 | 16;
	place->parent = build_ref(build, path);
	place->child = LOG_PLACE;
	place->min_ticks = UINT64_MAX;
	return place;
}

TEST(calls_by_place_are_calls_of_their_path)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *f = build_node(&build, thread, &thread->root, F), *g, *place, *bad;
	struct call_stats stats;
	struct model *model;

	place = build_place(&build, thread, f);
	g = build_node(&build, thread, f, F + 256);
	build_call(g, 100, 0);
	build_call(place, 1000, 100);
	build_call(place, 3000, 0);
	build_call(f, 200, 0);
	place->histogram[11]--;
	thread->pending_addr = build_addr(&build, &place->histogram[11]);
	bad = build_place(&build, thread, g);
	build_call(bad, 50, 0);
	bad->total_ticks = 100000;
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	assert_int_equal(model->processes[0]->nr_damaged, 1);
	stats = path_stats(model->root->child);
	assert_int_equal(stats.calls, 3);
	assert_true(stats.total_ns == 4200 && stats.self_ns == 4100);
	assert_true(stats.min_ns == 200 && stats.max_ns == 3000);
	assert_true(stats.square_ns2 == 200. * 200 + 1000. * 1000 + 3000. * 3000);
	assert_int_equal(histogram_count(&model->root->child->function->histogram), 3);
	assert_int_equal(path_stats(model->root->child->child).calls, 1);
	build_free(&build, model);
}

/* 2^32 + 1 calls of 4 ticks. */
static void call_until_bucket_wraps(struct log_node *node)
{
	build_call(node, 4, 0);
	node->calls += 1ull << 32;
	node->total_ticks += 4ull << 32;
	node->squares[0] += 16ull << 32;
}

TEST(a_wrapped_bucket_comes_from_its_event)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *f = build_node(&build, thread, &thread->root, F);
	struct model *model;

	call_until_bucket_wraps(f);
	build_event(&build, LOG_EVENT_BUCKET_WRAPPED, NS_START + 1, (uint64_t[]){ build_ref(&build, f), 2 },
		    2, NULL)
		->thread = thread->head.self;
	build_finish(&build, NS_START + 100000 * MS, 0);
	model = build_load(&build);
	assert_int_equal(model->nr_damaged, 0);
	assert_int_equal(histogram_count(&model->functions[0]->histogram), (1ull << 32) + 1);
	assert_true(function_percentile_ns(model->functions[0], 50, &(double){ 0 }) == 4);
	build_free(&build, model);
}

/* Without the event, the bucket is not known. */
TEST(percentiles_are_not_made_up_when_counts_are_missing)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *f = build_node(&build, thread, &thread->root, F);
	struct model *model;

	call_until_bucket_wraps(f);
	build_finish(&build, NS_START + 100000 * MS, 0);
	model = build_load(&build);
	assert_int_equal(model->functions[0]->stats.calls, (1ull << 32) + 1);
	assert_true(isnan(function_percentile_ns(model->functions[0], 50, &(double){ 0 })));
	build_free(&build, model);
}

TEST(a_program_without_hooks_has_its_heap)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_heap *heap = build_heap(&build, thread, &thread->root);
	struct model *model;

	heap->alloc_calls = 10;
	heap->alloc_bytes = 5000;
	heap->free_calls = 4;
	heap->freed_bytes = 800;
	heap->largest_bytes = 2000;
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	assert_int_equal(model->nr_functions, 0);
	assert_int_equal(model->root->heap->alloc_bytes, 5000);
	assert_int_equal(model->heap.alloc_calls, 10);
	assert_int_equal(model->processes[0]->heap.freed_bytes, 800);
	assert_int_equal(model->processes[0]->threads[0]->heap.largest_bytes, 2000);
	build_free(&build, model);
}

TEST(heap_belongs_to_the_path_that_allocated)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *main = build_node(&build, thread, &thread->root, MAIN);
	struct log_node *f = build_node(&build, thread, main, F);
	struct log_heap *heap = build_heap(&build, thread, f);
	struct model *model;

	build_call(f, 1 * MS, 0);
	build_call(main, 2 * MS, 1 * MS);
	heap->alloc_calls = 3;
	heap->alloc_bytes = 300;
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	assert_int_equal(build_function(model, F - APP_BEGIN)->heap.alloc_bytes, 300);
	assert_int_equal(build_function(model, MAIN - APP_BEGIN)->heap.alloc_bytes, 0);
	assert_int_equal(model->heap.alloc_bytes, 300);
	build_free(&build, model);
}

/* f was called under "(other paths)" only, and under itself there. */
TEST(totals_under_other_paths_are_marked)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *others = build_node(&build, thread, &thread->root, LOG_FUNCTION_OTHERS);
	struct log_node *main = build_node(&build, thread, &thread->root, MAIN);
	struct log_node *f = build_node(&build, thread, others, F);
	struct model *model;

	build_call(f, 3 * MS, 0);
	build_call(main, 5 * MS, 3 * MS);
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	assert_true(build_function(model, F - APP_BEGIN)->total_is_bound);
	assert_false(build_function(model, MAIN - APP_BEGIN)->total_is_bound);
	assert_int_equal(model->nr_functions, 2);
	build_free(&build, model);
}

/* An address of a function in a.so, which was unloaded, that now is in b.so. */
TEST(retired_nodes_belong_to_modules_that_are_gone)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_module *gone = build_module(&build, "/lib/a.so", 0x700000, 0x800000, 0x700000, 1);
	struct log_node *old = build_node(&build, thread, &thread->root, (0x700100 | LOG_FUNCTION_RETIRED));
	struct log_node *new = build_node(&build, thread, &thread->root, 0x700100);
	struct model *model;

	gone->gone_ticks = NS_START + 10 * MS;
	build_module(&build, "/lib/b.so", 0x700000, 0x800000, 0x700000, 2);
	build_call(old, 1 * MS, 0);
	build_call(new, 2 * MS, 0);
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	assert_int_equal(model->nr_functions, 2);
	for (size_t i = 0; i < 2; i++)
		assert_string_equal(model->functions[i]->object->path,
				    model->functions[i]->stats.total_ns == 1e6 ? "/lib/a.so" : "/lib/b.so");
	build_free(&build, model);
}

/* Two objects that were at one address in turn, both unloaded. */
TEST(the_number_in_a_retired_node_says_which_module)
{
	const uint64_t retired = 0x700100 | LOG_FUNCTION_RETIRED;
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_module *a = build_module(&build, "/lib/a.so", 0x700000, 0x800000, 0x700000, 1);
	struct log_module *b = build_module(&build, "/lib/b.so", 0x700000, 0x800000, 0x700000, 2);
	struct log_node *of_a =
		build_node(&build, thread, &thread->root, retired | 6ull << LOG_FUNCTION_MODULE_SHIFT);
	struct log_node *of_b =
		build_node(&build, thread, &thread->root, retired | 7ull << LOG_FUNCTION_MODULE_SHIFT);
	struct model *model;

	a->gone_ticks = NS_START + 10 * MS;
	a->number = 6;
	b->gone_ticks = NS_START + 20 * MS;
	b->number = 7;
	build_call(of_a, 1 * MS, 0);
	build_call(of_b, 2 * MS, 0);
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	assert_int_equal(model->nr_functions, 2);
	for (size_t i = 0; i < 2; i++)
		assert_string_equal(model->functions[i]->object->path,
				    model->functions[i]->stats.total_ns == 1e6 ? "/lib/a.so" : "/lib/b.so");
	build_free(&build, model);
}

/* Loaded at different addresses in two processes, with one build-id: one function. */
TEST(functions_merge_over_processes_by_build_id)
{
	char first[] = "/tmp/insideme-test.XXXXXX", second[] = "/tmp/insideme-test.XXXXXX",
	     *paths[] = { first, second };
	struct model *model;

	close(mkstemp(first));
	close(mkstemp(second));
	for (int i = 0; i < 2; i++) {
		uint64_t bias = 0x10000000ull * (uint64_t)(i + 1);
		struct build build;
		struct log_thread *thread;

		build_init(&build, LOG_CLOCK_TSC, i ? 0.4 : 0.25);
		build.header->pid += (uint32_t)i;
		build_module(&build, i ? "/copy/libx.so" : "/lib/libx.so", bias, bias + 0x10000, bias, 9);
		thread = build_thread(&build, "main");
		build_call(build_node(&build, thread, &thread->root, bias + 0x40), i ? 2500 : 8000, 0);
		build_finish(&build, NS_START + 1000 * MS, 0);
		build_write(&build, paths[i], 0);
		build_release(&build);
	}
	model = model_load(paths, 2, NULL);
	unlink(first);
	unlink(second);
	assert_int_equal(model->nr_processes, 2);
	assert_int_equal(model->nr_functions, 1);
	assert_int_equal(model->functions[0]->stats.calls, 2);
	assert_float_equal(model->functions[0]->stats.total_ns, 3000, 0.1);
	assert_float_equal(model->functions[0]->stats.max_ns, 2000, 0.1);
	assert_int_equal(histogram_count(&model->functions[0]->histogram), 2);
	assert_true(model->objects->next == NULL);
	model_free(model);
}

TEST(facts_events_and_damage_free_text_are_there)
{
	struct build build;
	struct log_event *event;
	struct model *model;
	char text[200];

	build_begin(&build);
	build_text(&build, "command=./app --fast 'a b'");
	build_text(&build, "setting.INSIDEME_THRESHOLD=10us");
	event = build_event(&build, LOG_EVENT_EXEC, NS_START + 7 * MS, (uint64_t[]){ 2 }, 1, "/bin/missing");
	event->thread = build.header->nr_threads
				? build_ref(&build, build.bytes + LOG_HEADER_BYTES + (64u << 10))
				: 0;
	build_finish(&build, NS_START + 100 * MS, 3);
	model = build_load(&build);
	assert_string_equal(model->processes[0]->command, "./app --fast 'a b'");
	assert_string_equal(process_fact(model->processes[0], "setting.INSIDEME_THRESHOLD"), "10us");
	assert_null(process_fact(model->processes[0], "nothing"));
	assert_int_equal(model->processes[0]->nr_events, 1);
	assert_string_equal(model->processes[0]->events[0].text, "/bin/missing");
	assert_int_equal(model->processes[0]->events[0].time, 7 * MS);
	assert_ptr_equal(model->processes[0]->events[0].thread, model->processes[0]->threads[0]);
	assert_string_equal(process_end_text(model->processes[0], text, sizeof(text)), "exit status 3");
	assert_int_equal(model->end, 100 * MS);
	build_free(&build, model);
}

TEST(a_loss_that_no_program_lives_for_is_damage)
{
	struct build build;
	struct model *model;

	build_begin(&build);
	build.header->losses[LOG_LOST_CALLS] = 12;
	build.header->losses[LOG_LOST_SLICES] = UINT64_MAX - 63;
	build_finish(&build, NS_START + 100 * MS, 0);
	model = build_load(&build);
	assert_int_equal(model->processes[0]->header.losses[LOG_LOST_CALLS], 12);
	assert_int_equal(model->processes[0]->header.losses[LOG_LOST_SLICES], 0);
	assert_int_equal(model->processes[0]->log->nr_damaged, 1);
	build_free(&build, model);
}

/*
 * A process's other threads run on while it ends: for a call with a record, and for one without. Of a killed
 * one the last instant is not known.
 */
TEST(a_process_lasts_as_long_as_its_threads_calls)
{
	enum { SHORT, RECORDED, KILLED, NR };
	struct build build;
	struct log_thread *thread;
	struct log_node *f;
	struct model *model;

	for (int way = 0; way < NR; way++) {
		const uint64_t begin = NS_START + 1000 * MS - 4000, ticks = way == SHORT ? 7000 : 7 * MS;

		build_begin(&build);
		thread = build_thread(&build, "worker");
		thread->begin_ticks = begin;
		f = build_node(&build, thread, &thread->root, F);
		build_call(f, ticks, 0);
		if (way == RECORDED)
			build_slice(&build, thread, 0, &(struct build_slice){ .node = f, .ticks = ticks,
									      .end_ticks = begin + ticks });
		if (way != KILLED)
			build_finish(&build, NS_START + 1000 * MS, 0);
		model = build_load(&build);
		assert_int_equal(model->processes[0]->threads[1]->end, NO_TIME);
		assert_int_equal(model->processes[0]->last, begin + ticks - NS_START);
		assert_int_equal(model->end, begin + ticks - NS_START);
		assert_int_equal(model->to, model->end);
		build_free(&build, model);
	}
}
