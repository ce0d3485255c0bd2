/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/model/hook_costs: a program with known true times, recorded with hooks of known cost. */
#include <math.h>
#include <stdlib.h>

#include "analyzer/cells/cells.h"
#include "test/unit/build_model.h"
#include "test/unit/unit.h"

/*
 * Of each call, in ns: before its first reading of the clock and after its second one; between them; not
 * timed; a new path.
 */
#define OUTSIDE	12
#define INSIDE	9
#define UNTIMED	7
#define NEW	500
#define KNOWN	8		/* uncertainty of a timed call's cost: more than 3/8 of it */

#define NR_F	100u		/* calls of F by MAIN */
#define NR_G	10u		/* calls of G by each F */
#define F_SELF	400u		/* true self time */
#define G_SELF	30u
#define MAIN_SELF 100000u

static struct log_thread *begin(struct build *build, uint32_t timing)
{
	struct log_thread *thread = build_begin(build);
	struct log_cost *costs = build->header->costs;

	build->header->timing = timing;
	build->header->threshold_ticks = build->header->threshold_set_ns = 10000;
	costs[LOG_COST_TIMED] = (struct log_cost){ .full = (OUTSIDE + INSIDE) << LOG_COST_SHIFT,
						   .inside = INSIDE << LOG_COST_SHIFT,
						   .spread = KNOWN << LOG_COST_SHIFT };
	costs[LOG_COST_UNTIMED] =
		(struct log_cost){ .full = UNTIMED << LOG_COST_SHIFT, .spread = 3 << LOG_COST_SHIFT };
	thread->nr_new_paths = 2;	/* MAIN's path is made outside of all functions */
	thread->new_paths_ticks = 2 * NEW;
	return thread;
}

static bool is_near(double found, double expected)
{
	return fabs(found - expected) < 0.01;
}

static void check(struct model *model)
{
	struct function *f = build_function(model, F - APP_BEGIN), *g = build_function(model, G - APP_BEGIN);
	struct function *main = build_function(model, MAIN - APP_BEGIN);

	assert_int_equal(model->nr_damaged, 0);
	assert_true(is_near(g->stats.self_ns, NR_F * NR_G * G_SELF));
	assert_true(is_near(g->stats.total_ns, NR_F * NR_G * G_SELF));
	assert_true(is_near(f->stats.self_ns, NR_F * F_SELF));
	assert_true(is_near(f->stats.total_ns, NR_F * (F_SELF + NR_G * G_SELF)));
	assert_true(is_near(call_stats_mean_ns(&f->stats), F_SELF + NR_G * G_SELF));
	assert_true(is_near(main->stats.self_ns, MAIN_SELF));
	assert_true(is_near(model->functions_ns, MAIN_SELF + NR_F * (F_SELF + NR_G * G_SELF)));
	assert_true(is_near(model->processes[0]->threads[0]->functions_ns, model->functions_ns));
}

TEST(what_is_left_is_the_true_time)
{
	struct build build;
	struct log_thread *thread = begin(&build, LOG_TIMING_EXACT);
	struct log_node *main = build_node(&build, thread, &thread->root, MAIN),
			*f = build_node(&build, thread, main, F);
	struct log_node *g = build_node(&build, thread, f, G);
	const uint64_t g_ticks = G_SELF + INSIDE, f_ticks = F_SELF + INSIDE + NR_G * (g_ticks + OUTSIDE);
	struct model *model;

	for (uint32_t i = 0; i < NR_F; i++) {
		uint64_t first = i ? 0 : NEW;

		for (uint32_t j = 0; j < NR_G; j++)
			build_call(g, g_ticks, 0);
		build_call(f, f_ticks + first, NR_G * g_ticks);
	}
	build_call(main, MAIN_SELF + INSIDE + NR_F * (f_ticks + OUTSIDE) + 2 * NEW, NR_F * f_ticks + NEW);
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	check(model);
	assert_true(is_near(model->hooks_ns, (1 + NR_F + NR_F * NR_G) * (OUTSIDE + INSIDE) + 2 * NEW));
	assert_true(is_near(function_percentile_ns(build_function(model, G - APP_BEGIN), 50, &(double){ 0 }),
			    G_SELF));
	build_free(&build, model);
}

#define LONG_F		20u		/* of NR_F: longer than the threshold; all calls of G are shorter */
#define SLICE		60
#define ALLOCATION	15
#define FREE		8

/*
 * Each F allocates two blocks and frees one of them. Its slow calls write a slice after their second reading.
 */
TEST(blocks_and_slices_are_taken_out)
{
	struct build build;
	struct log_thread *thread = begin(&build, LOG_TIMING_EXACT);
	struct log_node *main = build_node(&build, thread, &thread->root, MAIN),
			*f = build_node(&build, thread, main, F);
	const uint64_t f_ticks = F_SELF + INSIDE + 2 * ALLOCATION + FREE, long_ticks = f_ticks + (1 << 15);
	const uint64_t calls_ticks = (NR_F - LONG_F) * f_ticks + LONG_F * long_ticks;
	struct log_heap *heap = build_heap(&build, thread, f);
	struct model *model;

	build.header->costs[LOG_COST_RECORDED].full = (OUTSIDE + INSIDE + SLICE) << LOG_COST_SHIFT;
	build.header->costs[LOG_COST_ALLOCATION].full = ALLOCATION << LOG_COST_SHIFT;
	build.header->costs[LOG_COST_FREE].full = FREE << LOG_COST_SHIFT;
	heap->alloc_calls = 2 * NR_F;
	heap->free_calls = NR_F;
	for (uint32_t i = 0; i < NR_F; i++)
		build_call(f, i < LONG_F ? long_ticks : f_ticks, 0);
	build_call(main, MAIN_SELF + INSIDE + calls_ticks + NR_F * OUTSIDE + LONG_F * SLICE + NEW,
		   calls_ticks);
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	assert_int_equal(model->nr_damaged, 0);
	assert_true(is_near(build_function(model, F - APP_BEGIN)->stats.self_ns,
			    NR_F * F_SELF + LONG_F * (1 << 15)));
	assert_true(is_near(build_function(model, MAIN - APP_BEGIN)->stats.self_ns, MAIN_SELF));
	assert_true(is_near(build_function(model, MAIN - APP_BEGIN)->stats.total_ns,
			    MAIN_SELF + NR_F * F_SELF + LONG_F * (1 << 15)));
	assert_true(is_near(model->processes[0]->threads[0]->functions_ns, model->functions_ns));
	build_free(&build, model);
}

/* A library call that waits has no record of blocks: those in it count in the one of its caller F. */
TEST(blocks_of_a_caller_cost_nothing_in_the_library_calls_that_share_its_record)
{
	struct build build;
	struct log_thread *thread = begin(&build, LOG_TIMING_EXACT);
	struct log_node *f = build_node(&build, thread, &thread->root, F);
	struct log_node *wait = build_node(&build, thread, f, LOG_FUNCTION_REGION | LOG_FUNCTION_WAIT);
	const uint64_t wait_ticks = G_SELF + INSIDE;
	struct log_heap *heap = build_heap(&build, thread, f);
	struct model *model;

	build.header->costs[LOG_COST_ALLOCATION].full = ALLOCATION << LOG_COST_SHIFT;
	thread->nr_new_paths = 1;
	thread->new_paths_ticks = NEW;
	wait->heap = f->heap;
	heap->alloc_calls = NR_F;
	build_call(wait, wait_ticks, 0);
	build_call(f, F_SELF + INSIDE + NR_F * ALLOCATION + wait_ticks + OUTSIDE + NEW, wait_ticks);
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	assert_int_equal(model->nr_damaged, 0);
	assert_true(is_near(build_function(model, F - APP_BEGIN)->stats.self_ns, F_SELF));
	assert_true(is_near(build_function(model, F - APP_BEGIN)->stats.total_ns, F_SELF + G_SELF));
	build_free(&build, model);
}

#define RECORDING 90		/* of a library call that waits, as measured in some of its calls, */
#define MEASURED  3u		/* so many */

TEST(what_it_takes_to_record_a_library_call_that_waits_is_taken_out)
{
	struct build build;
	struct log_thread *thread = begin(&build, LOG_TIMING_EXACT);
	struct log_node *f = build_node(&build, thread, &thread->root, F);
	struct log_node *wait = build_node(&build, thread, f, LOG_FUNCTION_REGION | LOG_FUNCTION_WAIT);
	const uint64_t wait_ticks = G_SELF + INSIDE;
	struct model *model;

	thread->nr_new_paths = 1;
	thread->new_paths_ticks = NEW;
	for (uint32_t i = 0; i < NR_F; i++)
		build_call(wait, wait_ticks, 0);
	wait->cost_calls = MEASURED;
	wait->cost_ticks = MEASURED * RECORDING;
	build_call(f, F_SELF + INSIDE + NR_F * (wait_ticks + RECORDING) + NEW, NR_F * wait_ticks);
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	assert_int_equal(model->nr_damaged, 0);
	assert_true(is_near(build_function(model, F - APP_BEGIN)->stats.self_ns, F_SELF));
	assert_true(is_near(build_function(model, F - APP_BEGIN)->stats.total_ns, F_SELF + NR_F * G_SELF));
	assert_true(is_near(model->hooks_ns, NR_F * (RECORDING + INSIDE) + INSIDE + OUTSIDE + NEW));
	build_free(&build, model);
}

/* Only the mean time for making a path is known: a single path may have taken all of it. */
TEST(the_time_of_making_paths_is_doubt_of_their_callers)
{
	struct build build;
	struct log_thread *thread = begin(&build, LOG_TIMING_EXACT);
	struct log_node *main = build_node(&build, thread, &thread->root, MAIN),
			*f = build_node(&build, thread, main, F);
	struct log_node *g = build_node(&build, thread, f, G);
	const struct call_stats *stats;
	struct model *model;

	build_call(g, G_SELF + INSIDE, 0);
	/* making g took half of the mean time, */
	build_call(f, NEW / 2 + G_SELF + 2 * INSIDE + OUTSIDE, G_SELF + INSIDE);
	build_call(main, NEW * 3 / 2 + NEW / 2 + G_SELF + 3 * INSIDE + 2 * OUTSIDE,
		   NEW / 2 + G_SELF + 2 * INSIDE + OUTSIDE);
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	stats = &build_function(model, F - APP_BEGIN)->stats;
	assert_true(is_near(stats->self_ns, 0));	/* and the excess of the other half is added again, */
	assert_true(is_near(stats->total_ns, G_SELF));
	assert_true(is_near(stats->self_doubt_ns, 2 * KNOWN + NEW * 3 / 2));	/* to its doubt as well */
	assert_true(is_near(stats->total_doubt_ns, 2 * KNOWN + NEW * 3 / 2));
	stats = &build_function(model, MAIN - APP_BEGIN)->stats;
	assert_true(is_near(stats->self_ns, NEW / 2));			/* and making f took more */
	assert_true(stats_cell(stats, CELL_SELF).is_doubtful);
	assert_true(is_near(stats->self_doubt_ns, 2 * KNOWN + NEW) &&
		    is_near(stats->total_doubt_ns, 3 * KNOWN + 2 * NEW + NEW / 2));
	assert_true(is_near(build_function(model, G - APP_BEGIN)->stats.self_doubt_ns, KNOWN));
	assert_int_equal(share_cell(3, 1).type, VALUE_EMPTY);
	assert_true(is_near(share_cell(1, 4).real, 25));
	build_free(&build, model);
}

/* One of 4 calls of G is timed. The others cost less, and nothing inside of the untimed call. */
TEST(calls_that_were_not_timed_cost_what_they_cost)
{
	struct build build;
	struct log_thread *thread = begin(&build, LOG_TIMING_ADAPTIVE);
	struct log_node *main = build_node(&build, thread, &thread->root, MAIN),
			*f = build_node(&build, thread, main, F);
	struct log_node *g = build_node(&build, thread, f, G);
	const uint64_t g_ticks = G_SELF + INSIDE, nr_timed = NR_F * NR_G / 4,
		       nr_untimed = NR_F * NR_G - nr_timed;
	const uint64_t g_hooks = nr_timed * (INSIDE + OUTSIDE) + nr_untimed * UNTIMED;
	const uint64_t f_ticks = F_SELF + INSIDE + NR_G * G_SELF + g_hooks / NR_F;
	struct model *model;

	for (uint32_t i = 0; i < NR_F * NR_G; i++)
		build_call(g, g_ticks, 0);
	g->untimed_calls = nr_untimed;
	for (uint32_t i = 0; i < NR_F; i++)
		build_call(f, f_ticks + (i ? 0 : NEW), NR_G * g_ticks);
	build_call(main, MAIN_SELF + INSIDE + NR_F * (f_ticks + OUTSIDE) + 2 * NEW, NR_F * f_ticks + NEW);
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	check(model);
	assert_int_equal(build_function(model, G - APP_BEGIN)->stats.timed_calls, nr_timed);
	assert_int_equal(build_function(model, G - APP_BEGIN)->stats.known_calls, NR_F * NR_G);
	build_free(&build, model);
}

/* F's calls have frames, but no clock. MAIN's time contains the cost of their hooks, and of G's hooks. */
TEST(the_hooks_in_a_call_without_a_clock_are_taken_out_of_its_caller)
{
	struct build build;
	struct log_thread *thread = begin(&build, LOG_TIMING_AUTO);
	struct log_node *main = build_node(&build, thread, &thread->root, MAIN),
			*f = build_node(&build, thread, main, F);
	struct log_node *g = build_node(&build, thread, f, G);
	struct log_counted *counted = build_record(&build, sizeof(*counted), LOG_RECORD_COUNTED, NS_START);
	const uint64_t g_ticks = G_SELF + INSIDE;
	const struct call_stats *stats;
	struct model *model;

	counted->function_addr = F;
	for (uint32_t i = 0; i < NR_F * NR_G; i++)
		build_call(g, g_ticks, 0);
	f->calls = f->untimed_calls = NR_F;
	f->child_ticks = 0;
	build_call(main,
		   MAIN_SELF + INSIDE + 2 * NEW + NR_F * (F_SELF + UNTIMED + NR_G * (g_ticks + OUTSIDE)),
		   NR_F * NR_G * g_ticks);
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	assert_int_equal(model->nr_damaged, 0);
	stats = &build_function(model, MAIN - APP_BEGIN)->stats;
	assert_true(is_near(stats->self_ns, MAIN_SELF + NR_F * F_SELF));
	assert_true(is_near(stats->total_ns, MAIN_SELF + NR_F * (F_SELF + NR_G * G_SELF)));
	assert_true(is_near(stats->self_doubt_ns, KNOWN + NR_F * 3 + NR_F * NR_G * KNOWN + 2 * NEW));
	assert_true(is_near(build_function(model, F - APP_BEGIN)->stats.self_doubt_ns, 0));
	build_free(&build, model);
}

/* The doubt is larger than the rest of the time. */
TEST(a_function_too_short_to_tell_is_doubtful)
{
	struct build build;
	struct log_thread *thread = begin(&build, LOG_TIMING_EXACT);
	struct log_node *f = build_node(&build, thread, &thread->root, F),
			*g = build_node(&build, thread, &thread->root, G);
	struct model *model;

	thread->nr_new_paths = 0;
	for (int i = 0; i < 1000; i++) {
		build_call(f, INSIDE + KNOWN - 1, 0);
		build_call(g, INSIDE + KNOWN + 1, 0);
	}
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	assert_true(build_function(model, F - APP_BEGIN)->stats.self_ns <
		    build_function(model, F - APP_BEGIN)->stats.self_doubt_ns);
	assert_true(build_function(model, G - APP_BEGIN)->stats.self_ns >
		    build_function(model, G - APP_BEGIN)->stats.self_doubt_ns);
	build_free(&build, model);
}

/* f's own time is known well, but it is small beside the uncertainty of the hooks of 1000 calls of g. */
TEST(the_doubts_of_what_it_calls_are_those_of_a_total)
{
	struct build build;
	struct log_thread *thread = begin(&build, LOG_TIMING_EXACT);
	struct log_node *f = build_node(&build, thread, &thread->root, F),
			*g = build_node(&build, thread, f, G);
	const struct call_stats *stats;
	struct value total, mean, max;
	struct model *model;

	thread->nr_new_paths = 0;
	for (int i = 0; i < 1000; i++)
		build_call(g, INSIDE - 1, 0);
	build_call(f, INSIDE + 1000 * (INSIDE + OUTSIDE), 1000 * (INSIDE - 1));
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	stats = &build_function(model, F - APP_BEGIN)->stats;
	assert_true(is_near(stats->total_doubt_ns, 1001 * KNOWN + 1000));
	assert_true(is_near(stats->total_ns, 1000) && is_near(stats->self_ns, 1000));
	total = stats_cell(stats, CELL_TOTAL);
	mean = stats_cell(stats, CELL_MEAN);
	max = stats_cell(stats, CELL_MAX);
	assert_true(total.is_doubtful && mean.is_doubtful && max.is_doubtful);
	assert_int_equal(stats_cell(stats, CELL_TOTAL_DOUBT).integer, 1001 * KNOWN + 1000);
	stats = &build_function(model, G - APP_BEGIN)->stats;	/* a ns a call below zero: added again */
	assert_true(is_near(stats->self_ns, 0) && is_near(stats->total_ns, 0));
	assert_true(stats_cell(stats, CELL_SELF).is_doubtful && stats_cell(stats, CELL_MIN).is_doubtful);
	assert_int_equal(stats_cell(stats, CELL_SELF).integer, 0);
	assert_int_equal(stats_cell(stats, CELL_SELF_DOUBT).integer, 1000 * KNOWN + 1000);
	build_free(&build, model);
}

/*
 * A handler's g lasts 20 ms within a hook of main: main's time of 100 ms has them as its own. f is a
 * coroutine, which others interrupt for 80 of its 100 ms.
 */
TEST(times_that_do_not_add_up_are_made_to)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *main_node = build_node(&build, thread, &thread->root, MAIN);
	struct log_node *f = build_node(&build, thread, main_node, F),
			*g = build_node(&build, thread, main_node, G);
	const struct call_stats *main, *coroutine;
	struct model *model;

	build_call(main_node, 100 * MS, 20 * MS);
	build_call(f, 100 * MS, 80 * MS);
	build_call(g, 20 * MS, 0);
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	main = &build_function(model, MAIN - APP_BEGIN)->stats;
	coroutine = &build_function(model, F - APP_BEGIN)->stats;
	assert_true(is_near(main->total_ns, 100e6) && is_near(main->self_ns, 60e6));
	assert_true(is_near(main->self_doubt_ns, 20e6));
	assert_true(is_near(coroutine->total_ns, 20e6) && is_near(coroutine->self_ns, 20e6));
	assert_true(coroutine->net_min_ns <= coroutine->net_max_ns &&
		    coroutine->net_max_ns <= coroutine->total_ns);
	assert_true(is_near(model->functions_ns, 100e6));
	assert_true(is_near(model->processes[0]->threads[0]->functions_ns, 100e6));
	build_free(&build, model);
}
