/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/calls/path_shares: how the time of calls without a record is divided. */
#include "analyzer/base/curves.h"
#include "analyzer/calls/function_resources.h"
#include "test/unit/build_model.h"
#include "test/unit/unit.h"

#define AT(ms) (NS_START + (ms) * MS)

static void assert_self(const struct model *model, uint64_t addr, int kind, double expected)
{
	const double found = build_function(model, addr - APP_BEGIN)->use->self[kind];

	if (!(fabs(found - expected) <= 2e4))
		fail_msg("found %f, expected %f", found, expected);
}

/* The thread was ready in a fifth of the first 50 ms, and then for 10 ms: 20 ms. */
static void build_thread_rows(struct build *build, const struct log_thread *thread)
{
	struct log_rows *rows =
		build_rows(build, "thread", (const char *[]){ "thread_cpu_ns", "thread_wait_ns" }, 2, 11);

	rows->id = thread->tid;
	for (uint64_t i = 0; i <= 10; i++) {
		const uint64_t ready_ms = i <= 5 ? 2 * i : 20;

		build_row(rows, AT(10 * i), (uint64_t[]){ (10 * i - ready_ms) * MS, ready_ms * MS });
	}
}

/*
 * f has one call of 50 ms, g five of 10 ms, of which the first has a record, because its thread had to wait.
 * If the other four were like it, the thread would have been ready for 60 ms, not 20.
 */
TEST(calls_without_a_record_change_no_path_that_has_records_of_all)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *f = build_node(&build, thread, &thread->root, F),
			*g = build_node(&build, thread, &thread->root, G);
	struct model *model;

	build_call(f, 50 * MS, 0);
	for (int i = 0; i < 5; i++)
		build_call(g, 10 * MS, 0);
	build_slice(&build, thread, 0,
		    &(struct build_slice){ .node = f, .end_ticks = AT(50), .ticks = 50 * MS });
	build_slice(&build, thread, 0,
		    &(struct build_slice){ .node = g, .end_ticks = AT(60), .ticks = 10 * MS });
	build_thread_rows(&build, thread);
	build_finish(&build, AT(100) + 2, 0);
	model = build_load(&build);
	function_use_read(model);
	assert_self(model, F, USE_CPU_NS, 40e6);
	assert_self(model, F, USE_WAIT_NS, 10e6);
	assert_self(model, G, USE_CPU_NS, 40e6);
	assert_self(model, G, USE_WAIT_NS, 10e6);
	build_free(&build, model);
}

/*
 * f has one call of 50 ms, which calls g for 25 ms in all, 25,000 times: in none of these the thread had to
 * wait for long, else it would have a record. So the 10 ms in which the thread was ready are f's own.
 */
TEST(short_calls_did_not_wait_for_a_processor)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *f = build_node(&build, thread, &thread->root, F), *g;
	struct model *model;

	g = build_node(&build, thread, f, G);
	build_call(f, 50 * MS, 25 * MS);
	for (int i = 0; i < 25000; i++)
		build_call(g, MS / 1000, 0);
	build_slice(&build, thread, 0,
		    &(struct build_slice){ .node = f, .end_ticks = AT(50), .ticks = 50 * MS });
	build_thread_rows(&build, thread);
	build_finish(&build, AT(100) + 2, 0);
	model = build_load(&build);
	function_use_read(model);
	assert_self(model, F, USE_CPU_NS, 15e6);
	assert_self(model, F, USE_WAIT_NS, 10e6);
	assert_self(model, G, USE_CPU_NS, 25e6);
	assert_self(model, G, USE_WAIT_NS, 0);
	build_free(&build, model);
}

/* The CPU time of f: 20 ms in a thread with rows, and @unknown_ms in another one without. */
static double cpu_of_partly_known(uint64_t unknown_ms)
{
	struct build build;
	struct log_thread *thread = build_begin(&build), *other = build_thread(&build, "other");
	struct log_node *f = build_node(&build, thread, &thread->root, F),
			*g = build_node(&build, other, &other->root, G);
	struct log_node *f_in_g = build_node(&build, other, g, F);
	const struct function_use *use;
	struct model *model;
	double cpu_ns;

	build_call(f, 20 * MS, 0);
	build_slice(&build, thread, 0,
		    &(struct build_slice){ .node = f, .end_ticks = AT(20), .ticks = 20 * MS });
	build_call(g, unknown_ms * MS, unknown_ms * MS);
	build_call(f_in_g, unknown_ms * MS, 0);
	build_thread_rows(&build, thread);
	build_finish(&build, AT(100) + 2, 0);
	model = build_load(&build);
	function_use_read(model);
	use = build_function(model, F - APP_BEGIN)->use;
	cpu_ns = use->self[USE_CPU_NS];
	assert_int_equal(isnan(cpu_ns), isnan(use->total[USE_BLOCKED_NS]));
	build_free(&build, model);
	return cpu_ns;
}

TEST(parts_of_a_time_are_not_told_if_most_of_it_is_unknown)
{
	assert_in_range(cpu_of_partly_known(10), 15900000, 16100000);
	assert_true(isnan(cpu_of_partly_known(80)));
}
