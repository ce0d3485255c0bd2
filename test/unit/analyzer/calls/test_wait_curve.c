/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/calls/wait_curve: when a thread was blocked, of which rows only know how long. */
#include <math.h>

#include "analyzer/calls/function_resources.h"
#include "test/unit/build_model.h"
#include "test/unit/unit.h"

#define AT(ms) (NS_START + (ms) * MS)

/* Ten rows of 10 ms. The thread ran and was ready for so much of each. */
static void build_thread_rows(struct build *build, uint32_t tid, uint64_t cpu_percent, uint64_t wait_percent)
{
	struct log_rows *rows =
		build_rows(build, "thread", (const char *[]){ "thread_cpu_ns", "thread_wait_ns" }, 2, 11);

	rows->id = tid;
	for (uint64_t i = 0; i <= 10; i++)
		build_row(rows, AT(10 * i) + 1, (uint64_t[]){ i * 100000 * cpu_percent,
							      i * 100000 * wait_percent });
}

static void slice(struct build *build, struct log_thread *thread, const struct log_node *node,
		  uint64_t from_ms, uint64_t to_ms)
{
	build_slice(build, thread, 0,
		    &(struct build_slice){
			    .node = node, .end_ticks = AT(to_ms), .ticks = (to_ms - from_ms) * MS });
}

static void assert_near(double found, double expected, double error)
{
	if (!(fabs(found - expected) <= error))
		fail_msg("found %f, expected %f", found, expected);
}

static struct function_use *use_of(struct model *model, uint64_t addr)
{
	struct function *function = build_function(model, addr - APP_BEGIN);

	assert_non_null(function);
	assert_non_null(function->use);
	return function->use;
}

/* main 0 to 100; in it f 3 to 7, 13 to 17 and so on: a call of @kind. The thread had so much of each row. */
static struct model *build_barriers(struct build *build, enum log_wait_kind kind, uint64_t cpu_percent,
				    uint64_t wait_percent)
{
	struct log_thread *thread = build_begin(build);
	struct log_node *main_node = build_node(build, thread, &thread->root, MAIN);
	struct log_node *f = build_node(build, thread, main_node, F);
	struct model *model;

	build_call(main_node, 100 * MS, 40 * MS);
	for (uint64_t i = 0; i < 10; i++) {
		build_call(f, 4 * MS, 0);
		slice(build, thread, f, i * 10 + 3, i * 10 + 7);
	}
	slice(build, thread, main_node, 0, 100);
	build_thread_rows(build, thread->tid, cpu_percent, wait_percent);
	build_finish(build, AT(100) + 2, 0);
	model = build_load(build);
	build_function(model, F - APP_BEGIN)->wait = kind;
	function_use_read(model);
	return model;
}

TEST(a_thread_is_blocked_in_calls_that_wait_not_in_code_and_runs_or_is_ready_in_the_rest)
{
	static const struct {
		enum log_wait_kind kind;
		uint64_t cpu_percent, wait_percent;
		double code_ns[3], call_ns[3];
	} cases[] = {
		{ 0, 50, 10, { 30e6, 6e6, 24e6 }, { 20e6, 4e6, 16e6 } },
		{ LOG_WAIT_BARRIER, 50, 10, { 50e6, 10e6, 0 }, { 0, 0, 40e6 } },
		{ LOG_WAIT_BARRIER, 100, 0, { 60e6, 0, 0 }, { 40e6, 0, 0 } },	/* it spins */
		{ LOG_WAIT_BARRIER, 50, 50, { 30e6, 30e6, 0 }, { 20e6, 20e6, 0 } },
		{ LOG_WAIT_BARRIER, 60, 20, { 45e6, 15e6, 0 }, { 15e6, 5e6, 20e6 } },
		{ LOG_WAIT_SOCKET, 20, 10, { 20e6, 10e6, 30e6 }, { 0, 0, 40e6 } },
		{ LOG_WAIT_LOCK, 60, 20, { 60e6, 0, 0 }, { 0, 20e6, 20e6 } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct build build;
		struct model *model = build_barriers(&build, cases[i].kind, cases[i].cpu_percent,
						     cases[i].wait_percent);

		for (int use = USE_CPU_NS; use <= USE_BLOCKED_NS; use++) {
			assert_near(use_of(model, MAIN)->self[use], cases[i].code_ns[use], 2e4);
			assert_near(use_of(model, F)->self[use], cases[i].call_ns[use], 2e4);
		}
		build_free(&build, model);
	}
}

/*
 * As a team's thread without work between two parts of it: f 6 to 10, 16 to 20 and so on. No recorded call is
 * around it; a counted one may be, which is not seen.
 */
static void assert_blocked_between(bool has_counted_caller)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *caller =
		has_counted_caller ? build_node(&build, thread, &thread->root, G) : &thread->root;
	struct log_node *f = build_node(&build, thread, caller, F);
	struct model *model;

	thread->begin_ticks = AT(0);
	if (has_counted_caller)
		build_call(caller, 40 * MS, 40 * MS);
	for (uint64_t i = 0; i < 10; i++) {
		build_call(f, 4 * MS, 0);
		slice(&build, thread, f, i * 10 + 6, i * 10 + 10);
	}
	build_thread_rows(&build, thread->tid, 40, 0);
	build_finish(&build, AT(100) + 2, 0);
	model = build_load(&build);
	if (has_counted_caller)
		build_function(model, G - APP_BEGIN)->is_counted = true;
	function_use_read(model);
	assert_near(use_of(model, F)->self[USE_CPU_NS], 40e6, 1e4);
	assert_near(use_of(model, F)->self[USE_BLOCKED_NS], 0, 1e4);
	build_free(&build, model);
}

TEST(a_thread_in_no_recorded_call_may_be_blocked)
{
	assert_blocked_between(false);
	assert_blocked_between(true);
}

/* G runs from 0 to 10, then f waits for a lock until 30. The kernel knew of 7 ms when the wait began. */
TEST(cpu_time_that_lags_is_not_of_the_wait_that_follows)
{
	static const uint64_t cpu_ms[] = { 0, 7, 10 }, at_ms[] = { 0, 10, 30 };
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *main_node = build_node(&build, thread, &thread->root, MAIN);
	struct log_node *g = build_node(&build, thread, main_node, G);
	struct log_node *f = build_node(&build, thread, main_node, F);
	struct log_rows *rows;
	struct model *model;

	build_thread(&build, "other");
	build_call(main_node, 30 * MS, 30 * MS);
	build_call(g, 10 * MS, 0);
	build_call(f, 20 * MS, 0);
	slice(&build, thread, g, 0, 10);
	slice(&build, thread, f, 10, 30);
	slice(&build, thread, main_node, 0, 30);
	rows = build_rows(&build, "thread", (const char *[]){ "thread_cpu_ns", "thread_wait_ns" }, 2, 3);
	rows->id = thread->tid;
	for (size_t i = 0; i < 3; i++)
		build_row(rows, AT(at_ms[i]), (uint64_t[]){ cpu_ms[i] * MS, 0 });
	build_finish(&build, AT(30) + 2, 0);
	model = build_load(&build);
	build_function(model, F - APP_BEGIN)->wait = LOG_WAIT_LOCK;
	function_use_read(model);
	assert_near(use_of(model, G)->self[USE_CPU_NS], 10e6, 1e4);
	assert_near(use_of(model, F)->self[USE_CPU_NS], 0, 1e4);
	assert_near(use_of(model, F)->self[USE_BLOCKED_NS], 20e6, 1e4);
	build_free(&build, model);
}
