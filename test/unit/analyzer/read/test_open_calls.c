/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/read/open_calls: what open calls add at the end of the log. */

#include "analyzer/model/model.h"
#include "test/unit/build_model.h"
#include "test/unit/unit.h"

/* 200 recursive calls over several frames areas, killed 50 ms after the last one began. */
TEST(open_calls_are_the_last_words)
{
	enum { DEPTH = 200 };
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *node = &thread->root;
	struct function *function;
	struct open_stack *stack;
	struct model *model;
	struct log_rows *rows;

	build_stack(&build, thread, 61);
	for (int i = 0; i < DEPTH; i++) {
		node = build_node(&build, thread, node, F);
		build_open_call(&build, thread, node, NS_START + (uint64_t)(i + 1) * MS);
	}
	rows = build_rows(&build, "memory", (const char *[]){ "rss_bytes" }, 1, 4);
	build_row(rows, NS_START + 250 * MS, (uint64_t[]){ 4096 });
	model = build_load(&build);
	assert_int_equal(model->nr_damaged, 0);
	assert_int_equal(model->processes[0]->end_kind, END_UNKNOWN);
	assert_int_equal(model->processes[0]->nr_stacks, 1);
	stack = &model->processes[0]->stacks[0];
	assert_int_equal(stack->nr_calls, DEPTH);
	assert_false(stack->left);
	assert_int_equal(stack->calls[0].since, 1 * MS);
	assert_true(stack->calls[0].so_far_ns == 249e6);
	assert_int_equal(stack->calls[DEPTH - 1].since, DEPTH * MS);
	assert_true(stack->calls[DEPTH - 1].so_far_ns == 50e6);
	function = build_function(model, F - APP_BEGIN);
	assert_int_equal(function->stats.calls, DEPTH);
	assert_int_equal(function->stats.open_calls, DEPTH);
	assert_int_equal(function->stats.timed_calls, 0);
	assert_true(function->stats.total_ns == 249e6);
	assert_true(function->stats.self_ns == 249e6);
	assert_true(isnan(function->stats.min_ns));
	assert_true(isnan(function_percentile_ns(function, 50, &(double){ 0 })));
	build_free(&build, model);
}

/* f is open for 30 ms and has called g for 10 already; main's time in f is child time, not self. */
TEST(an_open_calls_time_is_child_time_of_its_caller)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *main = build_node(&build, thread, &thread->root, MAIN);
	struct log_node *f = build_node(&build, thread, main, F), *g = build_node(&build, thread, f, G);
	struct model *model;

	build_call(g, 10 * MS, 0);
	build_call(build_node(&build, thread, main, G), 4 * MS, 0);
	build_stack(&build, thread, 10);
	build_open_call(&build, thread, main, NS_START + 1 * MS)->child_ticks = 4 * MS;
	build_open_call(&build, thread, f, NS_START + 20 * MS)->child_ticks = 10 * MS;
	build_finish(&build, NS_START + 50 * MS, 0);
	model = build_load(&build);
	assert_true(build_function(model, MAIN - APP_BEGIN)->stats.total_ns == 49e6);
	assert_true(build_function(model, MAIN - APP_BEGIN)->stats.self_ns == 15e6);
	assert_true(build_function(model, F - APP_BEGIN)->stats.total_ns == 30e6);
	assert_true(build_function(model, F - APP_BEGIN)->stats.self_ns == 20e6);
	assert_true(model->functions_ns == 49e6);
	build_free(&build, model);
}

/* The thread is still at main: f's frame is being pushed or popped. */
TEST(a_frame_that_is_not_where_its_thread_is_does_not_count)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *main = build_node(&build, thread, &thread->root, MAIN);
	struct log_node *f = build_node(&build, thread, main, F);
	struct model *model;

	build_stack(&build, thread, 10);
	build_open_call(&build, thread, main, NS_START + 1 * MS);
	build_open_call(&build, thread, f, NS_START + 2 * MS);
	thread->current = build_ref(&build, main);
	build_finish(&build, NS_START + 50 * MS, 0);
	model = build_load(&build);
	assert_int_equal(model->processes[0]->stacks[0].nr_calls, 1);
	assert_null(build_function(model, F - APP_BEGIN));
	assert_true(build_function(model, MAIN - APP_BEGIN)->stats.self_ns == 49e6);
	build_free(&build, model);
}

/*
 * Killed while the first frame of a further area was pushed: the newest sound one is the last of the area
 * below.
 */
TEST(a_frame_on_its_way_into_a_new_area_hides_none)
{
	enum { NR_FRAMES = 61 };	/* a page */
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *node = &thread->root, *current = NULL;
	struct model *model;
	uint32_t first;

	build_stack(&build, thread, NR_FRAMES);
	first = thread->frames;
	for (uint64_t i = 1; thread->frames == first; i++) {
		current = node;
		node = build_node(&build, thread, node, F);
		build_open_call(&build, thread, node, NS_START + i * MS);
	}
	thread->current = build_ref(&build, current);
	model = build_load(&build);
	assert_int_equal(model->nr_damaged, 0);
	assert_int_equal(model->processes[0]->stacks[0].nr_calls, NR_FRAMES);
	build_free(&build, model);
}

/* Killed between the counter of calls and the clock: the frame is still there, but it is one call. */
TEST(a_call_that_was_just_ending_counts_once)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *f = build_node(&build, thread, &thread->root, F);
	struct call_stats *stats;
	struct model *model;

	build_call(f, 10 * MS, 0);
	build_call(f, 10 * MS, 0);
	f->calls++;
	build_stack(&build, thread, 10);
	build_open_call(&build, thread, f, NS_START + 40 * MS);
	build_finish(&build, NS_START + 50 * MS, 0);
	model = build_load(&build);
	stats = &build_function(model, F - APP_BEGIN)->stats;
	assert_int_equal(model->nr_damaged, 0);
	assert_int_equal(stats->calls, 3);
	assert_int_equal(stats->open_calls, 1);
	assert_int_equal(stats->timed_calls, 2);
	assert_true(stats->total_ns == 30e6);
	build_free(&build, model);
}

/* A coroutine that was left 20 ms ago: its call is open, but its time does not go on. */
TEST(a_stack_that_was_left_waits)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *f = build_node(&build, thread, &thread->root, F);
	struct log_node *main = build_node(&build, thread, &thread->root, MAIN);
	struct log_frames *coroutine;
	struct model *model;

	coroutine = build_stack(&build, thread, 10);
	build_open_call(&build, thread, f, NS_START + 10 * MS);
	coroutine->top_addr = thread->top_addr;
	coroutine->current = thread->current;
	coroutine->left_ticks = NS_START + 30 * MS;
	build_stack(&build, thread, 10);
	build_open_call(&build, thread, main, NS_START + 5 * MS);
	build_finish(&build, NS_START + 50 * MS, 0);
	model = build_load(&build);
	assert_int_equal(model->processes[0]->nr_stacks, 2);
	assert_true(model->processes[0]->stacks[0].left);
	assert_true(build_function(model, F - APP_BEGIN)->stats.total_ns == 20e6);
	assert_true(build_function(model, F - APP_BEGIN)->stats.self_ns == 20e6);
	assert_false(model->processes[0]->stacks[1].left);
	assert_int_equal(model->nr_damaged, 0);
	build_free(&build, model);
}

TEST(calls_of_counts_mode_have_no_times)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *main = build_node(&build, thread, &thread->root, MAIN);
	struct log_node *f = build_node(&build, thread, main, F);
	struct model *model;

	build.header->timing = LOG_TIMING_COUNTS;
	f->calls = f->untimed_calls = 1000;
	build_stack(&build, thread, 10);
	build_open_call(&build, thread, main, 0);
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	assert_int_equal(model->nr_damaged, 0);
	assert_int_equal(build_function(model, F - APP_BEGIN)->stats.calls, 1000);
	assert_int_equal(build_function(model, MAIN - APP_BEGIN)->stats.calls, 1);
	assert_true(isnan(call_stats_mean_ns(&build_function(model, F - APP_BEGIN)->stats)));
	assert_true(isnan(call_stats_mean_ns(&build_function(model, MAIN - APP_BEGIN)->stats)));
	assert_true(isnan(model->processes[0]->stacks[0].calls[0].so_far_ns));
	build_free(&build, model);
}
