/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/counted: where calls and time of counted functions stand in the tree. */

#include "analyzer/cells/cells.h"
#include "analyzer/counted/counted_times.h"
#include "analyzer/model/tree_walk.h"
#include "test/unit/build_model.h"
#include "test/unit/unit.h"

#define SITE_CALLS 5000u
#define SAMPLE_MS 4u
#define SHORT_CALLS 4000000u

/* main() calls f(), which is counted: 1 call of it was timed, SITE_CALLS by a call site. */
struct run {
	struct build build;
	struct log_thread *thread;
	struct log_node *main, *f;
};

static struct run begin(uint64_t main_ticks)
{
	struct run run;

	run.thread = build_begin(&run.build);
	run.build.header->timing = LOG_TIMING_AUTO;
	run.build.header->sample_interval_ns = SAMPLE_MS * MS;
	run.main = build_node(&run.build, run.thread, &run.thread->root, MAIN);
	build_call(run.main, main_ticks, 0);
	run.f = build_node(&run.build, run.thread, run.main, F);
	build_call(run.f, 0, 0);
	build_counter(&run.build, run.thread, F, SITE_CALLS);
	return run;
}

static void sample(struct run *run, const struct log_node *node, uint32_t nr)
{
	build_path_samples(&run->build, run->thread, node, nr, 0);
}

static struct model *load(struct run *run)
{
	struct model *model;

	build_finish(&run->build, NS_START + 1700 * MS, 0);
	model = build_load(&run->build);
	build_release(&run->build);
	assert_int_equal(model->nr_damaged, 0);
	return model;
}

/* The path that ends in a function, called by another or by nothing (0). */
static struct tree_node *path_to(const struct model *model, uint64_t addr, uint64_t caller)
{
	for (size_t id = 1; id < model->nr_tree_nodes; id++) {
		struct tree_node *node = tree_node(model, id);

		if (node->function->addr == addr - APP_BEGIN && node->parent->function &&
		    node->parent->function->addr == caller - APP_BEGIN && !tree_is_of_counters(node))
			return node;
	}
	return NULL;
}

TEST(calls_stand_on_the_only_path_that_samples_met)
{
	struct run run = begin(1000 * MS);
	const struct tree_node *path;
	struct model *model;

	sample(&run, run.f, COUNTED_LEAST_SAMPLES);
	model = load(&run);
	path = path_to(model, F, MAIN);
	assert_non_null(path);
	assert_int_equal(path->sum.calls, SITE_CALLS + 1);
	assert_int_equal(path->rare->counted_calls, SITE_CALLS);
	assert_false(path->rare->lacks_calls);
	assert_int_equal(build_function(model, F - APP_BEGIN)->stats.calls, SITE_CALLS + 1);
	model_free(model);
}

TEST(too_few_samples_show_no_path)
{
	struct run run = begin(1000 * MS);
	const struct tree_node *path;
	struct model *model;

	sample(&run, run.f, COUNTED_LEAST_SAMPLES - 1);
	model = load(&run);
	path = path_to(model, F, MAIN);
	assert_int_equal(path->sum.calls, 1);
	assert_true(path->rare->lacks_calls);
	assert_int_equal(build_function(model, F - APP_BEGIN)->stats.calls, SITE_CALLS + 1);
	model_free(model);
}

TEST(of_two_paths_each_may_have_any_of_the_calls)
{
	struct run run = begin(1000 * MS);
	struct log_node *g = build_node(&run.build, run.thread, run.main, G),
			*f_of_g = build_node(&run.build, run.thread, g, F);
	struct model *model;

	build_call(g, 10 * MS, 0);
	build_call(f_of_g, 0, 0);
	sample(&run, run.f, 100);
	model = load(&run);
	assert_int_equal(path_to(model, F, MAIN)->sum.calls, 1);
	assert_true(path_to(model, F, MAIN)->rare->lacks_calls);
	assert_true(path_to(model, F, G)->rare->lacks_calls);
	assert_int_equal(build_function(model, F - APP_BEGIN)->stats.calls, SITE_CALLS + 2);
	model_free(model);
}

TEST(time_of_samples_is_taken_out_of_the_caller)
{
	struct run run = begin(1000 * MS);
	struct model *model;

	sample(&run, run.f, 20);
	model = load(&run);
	assert_true(path_stats(path_to(model, F, MAIN)).self_ns == 20.0 * SAMPLE_MS * MS);
	assert_true(build_function(model, MAIN - APP_BEGIN)->stats.self_ns == (1000.0 - 20 * SAMPLE_MS) * MS);
	assert_true(build_function(model, MAIN - APP_BEGIN)->stats.total_ns == 1000.0 * MS);
	model_free(model);
}

/* All SITE_CALLS together take @ms to call their hooks, as measured; 5/8 of that are subtracted. */
static void set_cost_around(struct run *run, uint64_t ms)
{
	run->build.header->costs[LOG_COST_AROUND].full = (uint32_t)((ms * MS << LOG_COST_SHIFT) / SITE_CALLS);
}

static bool is_about(double ns, double ms)
{
	return fabs(ns - ms * MS) < 0.01 * MS;	/* f() was called once more */
}

TEST(what_is_around_the_hooks_is_no_time_of_the_program)
{
	struct run run = begin(1000 * MS);
	struct model *model;

	sample(&run, run.f, 20);
	set_cost_around(&run, 32);
	model = load(&run);
	assert_true(is_about(path_stats(path_to(model, F, MAIN)).self_ns, 20 * SAMPLE_MS - 20));
	assert_true(is_about(build_function(model, MAIN - APP_BEGIN)->stats.self_ns, 1000 - 20 * SAMPLE_MS));
	assert_true(is_about(build_function(model, MAIN - APP_BEGIN)->stats.total_ns, 1000 - 20));
	assert_true(is_about(model->around_ns, 20));
	model_free(model);
}

/* 20 ms of f()'s 80 ms are around its hooks, with an error of 10 ms. Each sample stands for 4 ms. */
TEST(what_is_around_the_hooks_has_an_error)
{
	struct run run = begin(1000 * MS);
	struct call_stats f;
	const struct call_stats *main;
	struct model *model;

	sample(&run, run.f, 20);
	set_cost_around(&run, 32);
	model = load(&run);
	f = path_stats(path_to(model, F, MAIN));
	main = &build_function(model, MAIN - APP_BEGIN)->stats;
	assert_true(is_about(f.self_doubt_ns, 10));
	assert_true(is_about(value_number(stats_cell(&f, CELL_SELF_ERROR)), sqrt(60 * SAMPLE_MS + 10 * 10)));
	assert_true(is_about(main->self_doubt_ns, 0));
	assert_true(is_about(main->total_doubt_ns, 10));
	model_free(model);
}

/* Half of the function's samples, and half of the rest, may be around its hooks. */
TEST(a_quarter_of_the_samples_is_the_functions_own)
{
	struct run run = begin(1000 * MS);
	struct model *model;

	sample(&run, run.f, 20);
	set_cost_around(&run, 1000);
	model = load(&run);
	assert_true(is_about(path_stats(path_to(model, F, MAIN)).self_ns, 20 * SAMPLE_MS / 4));
	assert_true(is_about(model->around_ns, 20 * SAMPLE_MS * 3 / 4));
	model_free(model);
}

/* f() is called 5000 times and has 50 samples; g(), called nine times as often, has 20. */
TEST(what_does_not_fit_is_taken_from_all_counted_calls_there)
{
	struct run run = begin(1000 * MS);
	struct log_node *g = build_node(&run.build, run.thread, run.main, G);
	struct model *model;
	double g_ns, f_ns;

	build_call(g, 0, 0);
	build_counter(&run.build, run.thread, G, 9 * SITE_CALLS);
	sample(&run, run.f, 50);
	sample(&run, g, 20);
	set_cost_around(&run, 10);
	model = load(&run);
	f_ns = path_stats(path_to(model, F, MAIN)).self_ns;
	g_ns = path_stats(path_to(model, G, MAIN)).self_ns;
	/* 62 ms are around the hooks: 40 of g()'s 80 ms are, and the rest is in what both have left */
	assert_true(is_about(model->around_ns, 62.5));
	assert_true(is_about(f_ns + g_ns, 280 - 62.5));
	assert_true(fabs(g_ns / f_ns - 40.0 / (200 - 6.25)) < 0.001);
	model_free(model);
}

/* f() has 50 samples, g() none. What is around f()'s hooks takes 20 ms. Return: what is around in all */
static double load_unmet(uint32_t g_calls)
{
	struct run run = begin(1000 * MS);
	struct log_node *g = build_node(&run.build, run.thread, run.main, G);
	struct model *model;
	double around_ns;

	build_call(g, 0, 0);
	build_counter(&run.build, run.thread, G, g_calls);
	sample(&run, run.f, 50);
	set_cost_around(&run, 32);
	model = load(&run);
	around_ns = model->around_ns;
	assert_true(is_about(path_stats(path_to(model, F, MAIN)).self_ns, 50 * SAMPLE_MS - around_ns / MS));
	model_free(model);
	return around_ns;
}

TEST(what_is_around_hooks_of_functions_without_samples_is_taken_too)
{
	assert_true(is_about(load_unmet(SITE_CALLS / 2), 20 + 10));
}

TEST(a_function_without_samples_takes_what_none_can_stand_for)
{
	assert_true(is_about(load_unmet(100 * SITE_CALLS), 20 + 3 * SAMPLE_MS));
}

/* main() was called once. No sample was in its hooks, so nothing says that its recorded time is not exact. */
TEST(what_is_around_few_hooks_leaves_recorded_times_exact)
{
	struct run run = begin(100 * MS);
	const struct call_stats *stats;
	struct model *model;

	run.build.header->costs[LOG_COST_TIMED].full = 30 << LOG_COST_SHIFT;
	sample(&run, run.main, 20);
	set_cost_around(&run, 1);
	model = load(&run);
	stats = &build_function(model, MAIN - APP_BEGIN)->stats;
	assert_true(is_about(stats->self_ns, 100));
	assert_true(stats->sampled_ns == 0);
	model_free(model);
}

TEST(no_more_is_taken_than_there_is)
{
	struct run run = begin(30 * MS);
	struct model *model;

	sample(&run, run.f, 20);
	model = load(&run);
	assert_true(path_stats(path_to(model, F, MAIN)).self_ns == 30.0 * MS);
	assert_true(build_function(model, MAIN - APP_BEGIN)->stats.self_ns == 0);
	assert_true(build_function(model, MAIN - APP_BEGIN)->stats.total_ns == 30.0 * MS);
	model_free(model);
}

/* @node was called SHORT_CALLS times, @ticks each, of which @child_ticks were in what it called. */
static void call_often(struct log_node *node, uint64_t ticks, uint64_t child_ticks)
{
	for (uint32_t i = 0; i < SHORT_CALLS; i++)
		build_call(node, ticks, child_ticks);
}

/*
 * g(), recorded, called 4 million times: its hooks took 240 ms by 60 samples, but by @cost, 30 ns, 120. The
 * doubt of that, 3/8 of the cost, is more than the samples' error. @nr_others: calls by f(), whose hooks
 * cost more than these calls lasted.
 */
static struct model *load_short_calls(uint64_t g_ms, uint32_t nr_others, uint32_t cost)
{
	struct run run = begin(1600 * MS);
	struct log_node *g = build_node(&run.build, run.thread, run.main, G),
			*other = build_node(&run.build, run.thread, run.f, G);

	run.build.header->costs[LOG_COST_TIMED] =
		(struct log_cost){ .full = 2 * cost << LOG_COST_SHIFT, .inside = cost << LOG_COST_SHIFT };
	call_often(g, g_ms * MS / SHORT_CALLS, 0);
	run.main->child_ticks += g_ms * MS;
	for (uint32_t i = 0; i < nr_others; i++)
		build_call(other, 0, 0);
	sample(&run, g, 5);
	build_path_samples(&run.build, run.thread, g, 60, LOG_SAMPLE_IN_HOOK);
	return load(&run);
}

TEST(samples_decide_where_the_hooks_cost_is_less_certain)
{
	struct model *model = load_short_calls(260, 0, 30);
	const struct call_stats *stats = &build_function(model, G - APP_BEGIN)->stats;

	assert_true(stats->self_ns == 5.0 * SAMPLE_MS * MS);
	assert_true(stats->self_variance_ns2 == 5.0 * SAMPLE_MS * MS * SAMPLE_MS * MS);
	assert_true(stats->self_doubt_ns == 0);
	assert_true(call_stats_sample_self(stats));
	model_free(model);
}

TEST(a_path_without_time_leaves_no_doubt_where_samples_decide)
{
	struct model *model = load_short_calls(260, 100000, 30);
	const struct call_stats *stats = &build_function(model, G - APP_BEGIN)->stats;

	assert_true(call_stats_sample_self(stats));
	assert_true(stats->self_doubt_ns == 0);
	model_free(model);
}

TEST(time_off_the_processor_stays)
{
	struct model *model = load_short_calls(1260, 0, 30);
	const struct call_stats *stats = &build_function(model, G - APP_BEGIN)->stats;

	assert_true(stats->self_ns == (1000.0 + 5 * SAMPLE_MS) * MS);
	assert_false(call_stats_sample_self(stats));
	model_free(model);
	model = load_short_calls(1260, 0, 250); /* hooks of a time without samples do not */
	assert_true(build_function(model, G - APP_BEGIN)->stats.self_ns == 260.0 * MS);
	model_free(model);
}

/*
 * main() calls a() and c(), a() calls b(); the hooks of each took 240 ms by what a call costs. Samples decide
 * the time of a(), and that of b() if it has some.
 */
static struct model *load_doubts(bool has_b_samples)
{
	struct run run = begin(1600 * MS);
	struct log_node *a = build_node(&run.build, run.thread, run.main, G),
			*b = build_node(&run.build, run.thread, a, G + 0x100),
			*c = build_node(&run.build, run.thread, run.main, G + 0x200);

	run.build.header->costs[LOG_COST_TIMED] =
		(struct log_cost){ .full = 60 << LOG_COST_SHIFT, .inside = 30 << LOG_COST_SHIFT };
	call_often(a, 130, 65);
	call_often(b, 65, 0);
	call_often(c, 65, 0);
	run.main->child_ticks += (130 + 65) * SHORT_CALLS;
	sample(&run, a, 8);
	build_path_samples(&run.build, run.thread, a, 60, LOG_SAMPLE_IN_HOOK);
	if (has_b_samples) {
		sample(&run, b, 8);
		build_path_samples(&run.build, run.thread, b, 60, LOG_SAMPLE_IN_HOOK);
	}
	return load(&run);
}

TEST(a_total_by_samples_has_the_doubt_of_what_was_called)
{
	struct model *model = load_doubts(false);
	const struct call_stats *a = &build_function(model, G - APP_BEGIN)->stats,
				*b = &build_function(model, G + 0x100 - APP_BEGIN)->stats;

	assert_true(a->self_doubt_ns == 0);
	assert_true(is_about(b->total_doubt_ns, 90));
	assert_true(a->total_doubt_ns > b->total_doubt_ns);
	model_free(model);
}

TEST(a_total_has_no_less_doubt_than_self_time)
{
	struct model *model = load_doubts(true);
	const struct call_stats *main_stats = &build_function(model, MAIN - APP_BEGIN)->stats;

	assert_true(build_function(model, G + 0x100 - APP_BEGIN)->stats.self_doubt_ns == 0);
	assert_true(is_about(main_stats->self_doubt_ns, 180));
	assert_true(main_stats->total_doubt_ns >= main_stats->self_doubt_ns);
	model_free(model);
}

#define NR_FEW		20u		/* functions with few samples */
#define FEW_CALLS	500000u

/* The hooks of each took 32 ms by 8 samples, but 15 ms by what one call is said to cost. */
TEST(few_samples_decide_for_many_functions_together)
{
	struct run run = begin(1600 * MS);
	struct log_node *few;
	struct model *model;

	run.build.header->costs[LOG_COST_TIMED] =
		(struct log_cost){ .full = 30 << LOG_COST_SHIFT, .inside = 30 << LOG_COST_SHIFT };
	for (uint32_t i = 0; i < NR_FEW; i++) {
		few = build_node(&run.build, run.thread, run.main, G + 0x100 * (i + 1));
		for (uint32_t j = 0; j < FEW_CALLS; j++)
			build_call(few, 100, 0);
		run.main->child_ticks += 100 * FEW_CALLS;
		sample(&run, few, 3);
		build_path_samples(&run.build, run.thread, few, 8, LOG_SAMPLE_IN_HOOK);
	}
	model = load(&run);
	for (uint32_t i = 0; i < NR_FEW; i++) {
		const struct call_stats *stats =
			&build_function(model, G + 0x100 * (i + 1) - APP_BEGIN)->stats;

		assert_true(fabs(stats->self_ns - (50 - 32) * 1e6) < 1000);
		assert_false(call_stats_sample_self(stats));
	}
	model_free(model);
}

#define IN_STUB (LOG_SAMPLE_IN_HOOK | LOG_SAMPLE_IN_STUB)

/* 6 samples in f() would be too few, if 10 had not met the code that counts its calls. */
TEST(samples_in_the_code_that_counts_divide_time_too)
{
	struct run run = begin(100 * MS);
	const struct call_stats *stats;
	struct model *model;

	sample(&run, run.f, 6);
	build_path_samples(&run.build, run.thread, run.main, 10, IN_STUB);
	model = load(&run);
	stats = &build_function(model, MAIN - APP_BEGIN)->stats;
	assert_true(is_about(stats->self_ns, 100 - 16 * SAMPLE_MS));
	assert_true(is_about(stats->total_ns, 100 - 10 * SAMPLE_MS));
	assert_false(path_to(model, F, MAIN)->parent->rare->holds_counted);
	model_free(model);
}

/*
 * The hooks of g(), recorded, took 40 ms by what a call costs, and 96 ms by 24 samples. How many samples met
 * the code that counts says nothing about that.
 */
TEST(samples_in_the_code_that_counts_leave_the_error_of_other_hooks)
{
	struct run run = begin(1600 * MS);
	struct log_node *g = build_node(&run.build, run.thread, run.main, G), *f_of_g;
	struct model *model;

	run.build.header->costs[LOG_COST_TIMED] =
		(struct log_cost){ .full = 10 << LOG_COST_SHIFT, .inside = 10 << LOG_COST_SHIFT };
	call_often(g, 345, 0);
	run.main->child_ticks += 345 * SHORT_CALLS;
	f_of_g = build_node(&run.build, run.thread, g, F);
	build_call(f_of_g, 0, 0);
	sample(&run, f_of_g, 20);
	build_path_samples(&run.build, run.thread, g, 24, LOG_SAMPLE_IN_HOOK);
	build_path_samples(&run.build, run.thread, g, 300, IN_STUB);
	model = load(&run);
	assert_true(is_about(build_function(model, G - APP_BEGIN)->stats.total_ns, 20 * SAMPLE_MS));
	model_free(model);
}

/* g() keeps the time of the sample in f(), but not of those in the code that counts, whose error is doubt. */
TEST(few_samples_tell_what_counting_costs)
{
	struct run run = begin(1600 * MS);
	struct log_node *g = build_node(&run.build, run.thread, run.main, G), *f_of_g;
	const struct call_stats *stats, *main_stats;
	struct model *model;

	build_call(g, 40 * MS, 0);
	run.main->child_ticks += 40 * MS;
	f_of_g = build_node(&run.build, run.thread, g, F);
	build_call(f_of_g, 0, 0);
	sample(&run, f_of_g, 1);
	build_path_samples(&run.build, run.thread, g, 4, IN_STUB);
	model = load(&run);
	stats = &build_function(model, G - APP_BEGIN)->stats;
	main_stats = &build_function(model, MAIN - APP_BEGIN)->stats;
	assert_true(is_about(stats->self_ns, 40 - 4 * SAMPLE_MS));
	assert_true(is_about(stats->total_ns, 40 - 4 * SAMPLE_MS));
	assert_true(is_about(stats->self_doubt_ns, 2 * SAMPLE_MS));
	assert_true(path_to(model, G, MAIN)->rare->holds_counted);
	assert_true(is_about(main_stats->self_ns, 1600 - 40));
	assert_true(is_about(main_stats->total_ns, 1600 - 4 * SAMPLE_MS));
	assert_true(is_about(main_stats->total_doubt_ns, 2 * SAMPLE_MS));
	model_free(model);
}

/* Of f(), which has no samples, is only known how long g() took beneath it. Return: is its total known? */
static bool knows_total(uint64_t recorded_ticks)
{
	struct run run = begin(1600 * MS);
	const struct call_stats *stats;
	struct log_node *recorded;
	struct model *model;
	bool is_known;

	recorded = build_node(&run.build, run.thread, run.f, G);
	build_call(recorded, recorded_ticks, 0);
	run.main->child_ticks += recorded_ticks;
	model = load(&run);
	stats = &build_function(model, F - APP_BEGIN)->stats;
	assert_true(stats->total_ns == (double)recorded_ticks);
	is_known = call_stats_know_total(stats);
	assert_false(call_stats_know_self(stats));
	assert_true(call_stats_know_total(&path_to(model, F, MAIN)->parent->function->stats));
	model_free(model);
	return is_known;
}

TEST(recorded_calls_tell_a_total_that_is_long_beside_what_samples_miss)
{
	assert_false(knows_total(58000));
	assert_true(knows_total(500 * MS));
}

/* f(), called by nothing that was recorded, takes @calls_ms of recorded calls, and @nr samples. */
static struct model *load_outside(uint64_t calls_ms, uint32_t nr)
{
	struct run run;
	struct log_node *f;

	run.thread = build_begin(&run.build);
	run.build.header->timing = LOG_TIMING_AUTO;
	run.build.header->sample_interval_ns = SAMPLE_MS * MS;
	f = build_node(&run.build, run.thread, &run.thread->root, F);
	build_call(f, calls_ms * MS, 0);
	build_counter(&run.build, run.thread, F, SITE_CALLS);
	sample(&run, f, nr);
	return load(&run);
}

static void outside_lasts(uint64_t calls_ms, uint32_t nr, double ms)
{
	struct model *model = load_outside(calls_ms, nr);
	const struct call_stats *stats = &build_function(model, F - APP_BEGIN)->stats;

	assert_true(is_about(stats->self_ns, ms));
	assert_true(is_about(stats->total_ns, ms));
	assert_true(is_about(model->processes[0]->threads[0]->functions_ns, ms));
	model_free(model);
}

TEST(samples_outside_of_recorded_calls_are_not_added_to_the_same_time)
{
	outside_lasts(0, 20, 20 * SAMPLE_MS);
	outside_lasts(1000, 20, 1000);
	outside_lasts(40, 20, 20 * SAMPLE_MS);
}

/* The first thread has all hooks, a second one all samples in the code that counts. */
TEST(each_thread_loses_what_counting_took_in_it)
{
	struct run run = begin(200 * MS);
	struct log_thread *second = build_thread(&run.build, "second");
	struct log_node *g = build_node(&run.build, second, &second->root, G),
			*f_of_g = build_node(&run.build, second, g, F);
	const struct process *process;
	struct model *model;

	run.build.header->costs[LOG_COST_TIMED] =
		(struct log_cost){ .full = 1000 << LOG_COST_SHIFT, .inside = 1000 << LOG_COST_SHIFT };
	for (int i = 0; i < 1000; i++)
		build_call(run.f, 1500, 0);
	build_call(g, 1000 * MS, 0);
	build_call(f_of_g, 0, 0);
	build_path_samples(&run.build, second, f_of_g, 20, 0);
	build_path_samples(&run.build, second, g, 100, IN_STUB);
	model = load(&run);
	process = model->processes[0];
	assert_true(is_about(build_function(model, G - APP_BEGIN)->stats.total_ns, 600));
	assert_true(fabs(process->threads[0]->functions_ns - 200.0 * MS) < 2 * MS);
	assert_true(fabs(process->threads[1]->functions_ns - 600.0 * MS) < 2 * MS);
	model_free(model);
}

/* f() lacks a call that g() was made in. Return: its self time, in ms */
static double self_ms_with(uint64_t counted_calls)
{
	struct run run;
	struct log_node *g;
	double ms;
	struct model *model;

	run.thread = build_begin(&run.build);
	run.build.header->timing = LOG_TIMING_AUTO;
	run.main = build_node(&run.build, run.thread, &run.thread->root, MAIN);
	build_call(run.main, 1000 * MS, 30 * MS);
	run.f = build_node(&run.build, run.thread, run.main, F);
	build_call(run.f, 10 * MS, 0);
	g = build_node(&run.build, run.thread, run.f, G);
	build_call(g, 20 * MS, 0);
	build_counter(&run.build, run.thread, F, counted_calls);
	model = load(&run);
	ms = build_function(model, F - APP_BEGIN)->stats.self_ns / MS;
	model_free(model);
	return ms;
}

TEST(a_function_of_which_no_call_was_counted_has_the_times_of_a_recorded_one)
{
	assert_true(self_ms_with(SITE_CALLS) == 10);
	assert_true(self_ms_with(0) == 0);
}
