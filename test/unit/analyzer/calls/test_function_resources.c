/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/calls/function_resources: what functions used, from rows and calls with known numbers. */
#include <string.h>

#include "analyzer/base/curves.h"
#include "analyzer/calls/function_resources.h"
#include "analyzer/model/tree_walk.h"
#include "test/unit/build_model.h"
#include "test/unit/unit.h"

#define AT(ms) (NS_START + (ms) * MS)

static void set_column(struct log_rows *rows, int column, uint16_t unit, uint16_t kind)
{
	struct log_column *columns = (struct log_column *)(rows + 1);

	columns[column].unit = unit;
	columns[column].kind = kind;
}

/*
 * 100 ms: CPU time of the first half only; 1000 faults and 1 MiB of RSS in the second; a switch counter seen
 * twice.
 */
static void build_process_rows(struct build *build)
{
	struct log_rows *rows = build_rows(
		build, "process",
		(const char *[]){ "cpu_ns", "minor_faults", "rss_bytes", "voluntary_switches", "threads" }, 5,
		11);

	for (uint64_t i = 0; i <= 10; i++)
		build_row(rows, AT(10 * i) + 1,
			  (uint64_t[]){ i < 5 ? i * 10 * MS : 50 * MS, i < 5 ? 0 : (i - 5) * 200,
					i < 5 ? 1u << 20 : (1u << 20) + (i - 5) * (1u << 20) / 5,
					i == 0 || i == 10 ? i * 6 : LOG_NONE, 1 });
	set_column(rows, 0, LOG_UNIT_NS, LOG_CUMULATIVE);
	set_column(rows, 1, LOG_UNIT_COUNT, LOG_CUMULATIVE);
	set_column(rows, 3, LOG_UNIT_COUNT, LOG_CUMULATIVE);
}

/* Time that the thread waited counts from @wait_begins on, in rows. */
static void build_thread_rows(struct build *build, uint32_t tid, uint64_t cpu_percent, uint64_t wait_percent,
			      uint64_t wait_begins)
{
	struct log_rows *rows =
		build_rows(build, "thread", (const char *[]){ "thread_cpu_ns", "thread_wait_ns" }, 2, 11);

	rows->id = tid;
	for (uint64_t i = 0; i <= 10; i++)
		build_row(rows, AT(10 * i) + 1, (uint64_t[]){ i * 100000 * cpu_percent,
			  i > wait_begins ? (i - wait_begins) * 100000 * wait_percent : 0 });
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

/* main 0 to 100; in it f 0 to 50, which burns, and g 50 to 100, which faults; in g f again 70 to 80. */
TEST(a_call_has_what_grew_while_it_was_open)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *main_node = build_node(&build, thread, &thread->root, MAIN);
	struct log_node *f = build_node(&build, thread, main_node, F),
			*g = build_node(&build, thread, main_node, G);
	struct log_node *f_in_g = build_node(&build, thread, g, F);
	struct model *model;

	build_call(main_node, 100 * MS, 100 * MS);
	build_call(f, 50 * MS, 0);
	build_call(g, 50 * MS, 10 * MS);
	build_call(f_in_g, 10 * MS, 0);
	slice(&build, thread, f, 0, 50);
	slice(&build, thread, f_in_g, 70, 80);
	slice(&build, thread, g, 50, 100);
	slice(&build, thread, main_node, 0, 100);
	build_process_rows(&build);
	build_thread_rows(&build, thread->tid, 0, 20, 5);
	build_finish(&build, AT(100) + 2, 0);
	model = build_load(&build);
	function_use_read(model);
	assert_int_equal(use_of(model, F)->calls, 2);
	assert_near(use_of(model, F)->total[USE_CPU_NS], 50e6, 1e4);
	assert_near(use_of(model, G)->total[USE_CPU_NS], 0, 1e4);
	assert_near(use_of(model, MAIN)->total[USE_CPU_NS], 50e6, 1e4);
	assert_near(use_of(model, MAIN)->self[USE_CPU_NS], 0, 1e4);
	assert_near(use_of(model, G)->total[USE_MINOR_FAULTS], 1000, 1);
	assert_near(use_of(model, G)->self[USE_MINOR_FAULTS], 800, 1);
	assert_near(use_of(model, F)->total[USE_MINOR_FAULTS], 200, 1);
	assert_near(use_of(model, G)->total[USE_RSS_BYTES], 1 << 20, 2000);
	assert_near(use_of(model, F)->self[USE_RSS_BYTES], (1 << 20) / 5., 2000);
	assert_near(use_of(model, G)->total[USE_WAIT_NS], 10e6, 1e4);
	assert_near(use_of(model, G)->total[USE_BLOCKED_NS], 40e6, 2e4);
	/* while it burnt there was no time to wait */
	assert_near(use_of(model, F)->total[USE_WAIT_NS], 2e6, 1e4);
	assert_near(use_of(model, F)->total[USE_BLOCKED_NS], 8e6, 2e4);
	assert_near(use_of(model, MAIN)->total[USE_SWITCHES], 60, 0.1);
	assert_near(use_of(model, F)->total[USE_SWITCHES], 36, 0.1);
	assert_near(use_of(model, F)->elapsed_ns, 60e6, 1e4);
	/* rows come 1 ns after calls end */
	assert_near(use_of(model, F)->peak[PEAK_RSS_BYTES], (1 << 20) * 1.4, 1);
	assert_near(use_of(model, G)->peak[PEAK_RSS_BYTES], (1 << 20) * 1.8, 1);
	assert_near(use_of(model, MAIN)->peak[PEAK_RSS_BYTES], (1 << 20) * 1.8, 1);
	assert_true(isnan(use_of(model, F)->total[USE_READ_BYTES]) ||
		    use_of(model, F)->total[USE_READ_BYTES] == 0);
	build_free(&build, model);
}

/*
 * Samples confirm 20 ms of f's CPU time, of 50. It was ready in the rest as far as the thread was, and in
 * @wait_percent of the time it was. @kind: f is a library call that waits.
 */
static struct model *build_bounded(struct build *build, uint64_t wait_percent, enum log_wait_kind kind)
{
	struct log_thread *thread = build_begin(build);
	struct log_node *f = build_node(build, thread, &thread->root, F);
	struct model *model;

	build_call(f, 50 * MS, 0);
	slice(build, thread, f, 0, 50);
	build_thread_rows(build, thread->tid, 100 - wait_percent, wait_percent, 0);
	build_finish(build, AT(100) + 2, 0);
	model = build_load(build);
	for (struct tree_node *node = tree_next(model->root); node; node = tree_next(node))
		if (node->function == build_function(model, F - APP_BEGIN)) {
			rare_counters_of(&node->rare)->most_cpu_ns = 20e6;
			node->function->wait = kind;
		}
	function_use_read(model);
	return model;
}

TEST(cpu_time_without_samples_is_ready_only_as_far_as_threads_were)
{
	static const struct { uint64_t wait_percent; enum log_wait_kind kind; double ns[3]; } cases[] = {
		{ 0, 0, { 50e6, 0, 0 } },
		{ 40, 0, { 30e6, 20e6, 0 } },
		{ 0, LOG_WAIT_EVENT, { 20e6, 0, 30e6 } },	/* the rest is the wait */
		{ 40, LOG_WAIT_EVENT, { 20e6, 20e6, 10e6 } },
		{ 0, LOG_WAIT_SOCKET, { 50e6, 0, 0 } },	/* which may return at once */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct build build;
		struct model *model = build_bounded(&build, cases[i].wait_percent, cases[i].kind);

		for (int kind = USE_CPU_NS; kind <= USE_BLOCKED_NS; kind++)
			assert_near(use_of(model, F)->self[kind], cases[i].ns[kind], 1e4);
		build_free(&build, model);
	}
}

/* f 20 to 25 and 30 to 40 in main, between rows: its own readings are higher, so main's are too. */
TEST(peaks_are_those_of_the_calls_own_readings_too)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *main_node = build_node(&build, thread, &thread->root, MAIN);
	struct log_node *f = build_node(&build, thread, main_node, F);
	struct model *model;

	build.header->heap_bytes = LOG_HEAP_REQUESTED;
	build_call(main_node, 100 * MS, 15 * MS);
	build_call(f, 5 * MS, 0);
	build_call(f, 10 * MS, 0);
	build_slice(&build, thread, 0,
		    &(struct build_slice){ .node = f,
					   .end_ticks = AT(25),
					   .ticks = 5 * MS,
					   .thread_delta = -4000,
					   .process_delta = -4000,
					   .heap_after = 3000,
					   .pages = { 2000, -1000, 9000, 0 } });
	build_slice(&build, thread, 0,
		    &(struct build_slice){ .node = f,
					   .end_ticks = AT(40),
					   .ticks = 10 * MS,
					   .thread_delta = 2000,
					   .process_delta = 2000,
					   .heap_after = 5000,
					   .pages = { 1000, 500, 9000, 0 } });
	build_slice(&build, thread, 0,
		    &(struct build_slice){
			    .node = main_node, .end_ticks = AT(100), .ticks = 100 * MS, .heap_after = 5000 });
	build_process_rows(&build);
	build_finish(&build, AT(100) + 2, 0);
	model = build_load(&build);
	function_use_read(model);
	assert_true(use_of(model, F)->peak[PEAK_HEAP_BYTES] == 7000);
	assert_true(use_of(model, MAIN)->peak[PEAK_HEAP_BYTES] == 7000);
	assert_true(use_of(model, F)->peak[PEAK_RSS_BYTES] == 2000 * 4096);
	assert_true(use_of(model, MAIN)->peak[PEAK_RSS_BYTES] == 2000 * 4096);
	build_free(&build, model);
}

/*
 * Two threads in f from 0 to 60 and from 40 to 100: the first has the CPU, so the faults of the second half
 * are its.
 */
TEST(what_belongs_to_the_process_is_shared_as_the_cpu_time)
{
	struct build build;
	struct log_thread *one = build_begin(&build), *two = build_thread(&build, "two");
	struct log_node *f = build_node(&build, one, &one->root, F),
			*g = build_node(&build, two, &two->root, G);
	struct log_node *f_too = build_node(&build, two, g, F);
	struct model *model;

	two->begin_ticks = AT(0);
	build_call(f, 60 * MS, 0);
	build_call(g, 100 * MS, 60 * MS);
	build_call(f_too, 60 * MS, 0);
	slice(&build, one, f, 0, 60);
	slice(&build, two, f_too, 40, 100);
	slice(&build, two, g, 0, 100);
	build_process_rows(&build);
	build_thread_rows(&build, one->tid, 50, 0, 0);
	build_thread_rows(&build, two->tid, 0, 100, 0);
	build_finish(&build, AT(100) + 2, 0);
	model = build_load(&build);
	function_use_read(model);
	assert_near(use_of(model, F)->elapsed_ns, 100e6, 1e4);
	assert_near(use_of(model, F)->total[USE_CPU_NS], 30e6, 1e4);
	assert_near(use_of(model, G)->total[USE_CPU_NS], 0, 1e4);
	assert_near(use_of(model, G)->total[USE_WAIT_NS], 100e6, 1e4);
	assert_near(use_of(model, G)->total[USE_BLOCKED_NS], 0, 1e4);
	build_free(&build, model);
}

/* f and g, each on a thread of its own for 100 ms, in which it runs so much of the time; 1000 faults. */
static struct model *load_two_threads(struct build *build, uint64_t one_percent, uint64_t two_percent)
{
	struct log_thread *one = build_begin(build), *two = build_thread(build, "two");
	struct log_node *f = build_node(build, one, &one->root, F),
			*g = build_node(build, two, &two->root, G);
	struct log_rows *rows;

	two->begin_ticks = AT(0);
	build_call(f, 100 * MS, 0);
	build_call(g, 100 * MS, 0);
	slice(build, one, f, 0, 100);
	slice(build, two, g, 0, 100);
	rows = build_rows(build, "process", (const char *[]){ "cpu_ns", "minor_faults" }, 2, 11);
	for (uint64_t i = 0; i <= 10; i++)
		build_row(rows, AT(10 * i) + 1,
			  (uint64_t[]){ i * 100000 * (one_percent + two_percent), i * 100 });
	set_column(rows, 0, LOG_UNIT_NS, LOG_CUMULATIVE);
	set_column(rows, 1, LOG_UNIT_COUNT, LOG_CUMULATIVE);
	build_thread_rows(build, one->tid, one_percent, 0, 0);
	build_thread_rows(build, two->tid, two_percent, 0, 0);
	build_finish(build, AT(100) + 2, 0);
	return build_load(build);
}

/* Whose the faults are is known if only one of them ran. */
TEST(faults_are_of_the_only_thread_that_ran)
{
	struct build build;
	struct model *model = load_two_threads(&build, 0, 80);

	function_use_read(model);
	assert_near(use_of(model, F)->total[USE_MINOR_FAULTS], 0, 0);
	assert_near(use_of(model, G)->total[USE_MINOR_FAULTS], 1000, 1);
	build_free(&build, model);
	model = load_two_threads(&build, 20, 80);
	function_use_read(model);
	assert_near(use_of(model, F)->total[USE_MINOR_FAULTS], 0, 0);
	assert_near(use_of(model, G)->total[USE_MINOR_FAULTS], 0, 0);
	build_free(&build, model);
}

/* Main frees what it had before it calls f, which is over before the next reading: of f no peak is known. */
TEST(a_reading_before_a_call_is_not_its_peak)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *main_node = build_node(&build, thread, &thread->root, MAIN);
	struct log_node *f = build_node(&build, thread, main_node, F),
			*g = build_node(&build, thread, main_node, G);
	struct log_rows *rows = build_rows(&build, "process", (const char *[]){ "rss_bytes" }, 1, 3);
	struct model *model;

	build_call(main_node, 100 * MS, 30 * MS);
	build_call(f, 10 * MS, 0);
	build_call(g, 20 * MS, 0);
	slice(&build, thread, f, 60, 70);
	slice(&build, thread, g, 75, 95);
	slice(&build, thread, main_node, 0, 100);
	build_row(rows, AT(10), (uint64_t[]){ 50 << 20 });
	build_row(rows, AT(50), (uint64_t[]){ 50 << 20 });
	build_row(rows, AT(90), (uint64_t[]){ 1 << 20 });
	build_finish(&build, AT(100) + 2, 0);
	model = build_load(&build);
	function_use_read(model);
	assert_true(isnan(use_of(model, F)->peak[PEAK_RSS_BYTES]));
	assert_true(use_of(model, G)->peak[PEAK_RSS_BYTES] == 1 << 20);
	assert_true(use_of(model, MAIN)->peak[PEAK_RSS_BYTES] == 50 << 20);
	build_free(&build, model);
}

/* Recursion once in totals; what never ended counts up to the end. */
TEST(open_calls_and_recursion)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *main_node = build_node(&build, thread, &thread->root, MAIN);
	struct log_node *f = build_node(&build, thread, main_node, F),
			*again = build_node(&build, thread, f, F);
	struct model *model;

	build_call(again, 20 * MS, 0);
	build_stack(&build, thread, 8);
	build_open_call(&build, thread, main_node, AT(0));
	build_open_call(&build, thread, f, AT(10))->child_ticks = 20 * MS;
	slice(&build, thread, again, 20, 40);
	build_process_rows(&build);
	build_thread_rows(&build, thread->tid, 0, 0, 0);
	build_finish(&build, AT(100) + 2, 0);
	model = build_load(&build);
	function_use_read(model);
	assert_near(use_of(model, F)->total[USE_CPU_NS], 40e6, 1e4);
	assert_near(use_of(model, F)->self[USE_CPU_NS], 40e6, 1e4);
	assert_near(use_of(model, MAIN)->self[USE_CPU_NS], 10e6, 1e4);
	assert_near(use_of(model, MAIN)->elapsed_ns, 100e6, 1e4);
	build_free(&build, model);
}

/* f was open for 2 us, 20,000 times: more often than spans of a thread are kept. */
TEST(many_calls_of_one_thread_last_as_long_as_all_of_them)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *f = build_node(&build, thread, &thread->root, F);
	struct model *model;

	for (uint64_t i = 1; i <= 20000; i++) {
		build_call(f, 2000, 0);
		build_slice(&build, thread, 0,
			    &(struct build_slice){ .node = f, .end_ticks = AT(0) + 5000 * i, .ticks = 2000 });
	}
	build_process_rows(&build);
	build_finish(&build, AT(100) + 2, 0);
	model = build_load(&build);
	function_use_read(model);
	assert_int_equal(use_of(model, F)->calls, 20000);
	assert_near(use_of(model, F)->elapsed_ns, 40e6, 1e3);
	build_free(&build, model);
}

/*
 * f was open from 25 to 75 ms. 100,000 further calls of it took 100 ns each, all of it CPU time of the hooks.
 */
TEST(the_hooks_had_cpu_time_only)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *main_node = build_node(&build, thread, &thread->root, MAIN);
	struct log_node *f = build_node(&build, thread, main_node, F);
	struct model *model;

	build.header->costs[LOG_COST_TIMED] =
		(struct log_cost){ .full = 100 << LOG_COST_SHIFT, .inside = 100 << LOG_COST_SHIFT };
	build_call(main_node, 100 * MS, 60 * MS);
	build_call(f, 50 * MS, 0);
	for (int i = 0; i < 100000; i++)
		build_call(f, 100, 0);
	slice(&build, thread, f, 25, 75);
	slice(&build, thread, main_node, 0, 100);
	build_process_rows(&build);
	build_thread_rows(&build, thread->tid, 0, 0, 0);
	build_finish(&build, AT(100) + 2, 0);
	model = build_load(&build);
	function_use_read(model);
	assert_near(build_function(model, F - APP_BEGIN)->stats.self_ns, 50e6, 1e4);
	assert_near(use_of(model, F)->self[USE_BLOCKED_NS], 25e6, 1e4);
	assert_near(use_of(model, F)->self[USE_CPU_NS], 25e6, 1e4);
	build_free(&build, model);
}

/*
 * main 0 to 100, half of it on the processor by the rows. f, which it calls, was counted: 40 ms of CPU time
 * by samples. @nr of main, each 2 ms.
 */
static struct model *load_counted(struct build *build, uint32_t nr)
{
	struct log_thread *thread = build_begin(build);
	struct log_node *main_node = build_node(build, thread, &thread->root, MAIN),
			*f = build_node(build, thread, main_node, F);
	struct model *model;

	build->header->timing = LOG_TIMING_AUTO;
	build->header->sample_interval_ns = 2 * MS;
	build_call(main_node, 100 * MS, 0);
	build_call(f, 0, 0);
	build_counter(build, thread, F, 1000);
	build_path_samples(build, thread, f, 20, 0);
	build_path_samples(build, thread, main_node, nr, 0);
	slice(build, thread, main_node, 0, 100);
	build_process_rows(build);
	build_thread_rows(build, thread->tid, 0, 20, 5);
	build_finish(build, AT(100) + 2, 0);
	model = build_load(build);
	function_use_read(model);
	return model;
}

TEST(what_samples_gave_to_counted_calls_is_cpu_time)
{
	struct build build;
	struct model *model = load_counted(&build, 5);

	assert_near(use_of(model, F)->self[USE_CPU_NS], 40e6, 1e4);
	assert_near(use_of(model, F)->self[USE_WAIT_NS], 0, 1e4);
	assert_near(use_of(model, MAIN)->total[USE_CPU_NS], 50e6, 1e4);
	assert_near(use_of(model, MAIN)->self[USE_CPU_NS], 10e6, 1e4);
	model_free(model);
	build_release(&build);
}

/* No sample in 10 ms is hardly so: two standard errors are 4 ms. But the thread was ready for 10 ms only. */
TEST(a_rest_is_not_ready_for_longer_than_its_thread)
{
	struct build build;
	struct model *model = load_counted(&build, 0);
	const double *self = use_of(model, MAIN)->self;

	assert_near(self[USE_CPU_NS], 10e6, 1e4);
	assert_near(self[USE_WAIT_NS], 10e6, 1e4);
	assert_near(self[USE_BLOCKED_NS], 40e6, 2e4);
	model_free(model);
	build_release(&build);
}

TEST(curves_are_straight_between_points)
{
	struct curve curve;
	double numbers[2];

	curve_init(&curve, 2);
	curve_add(&curve, 10, (double[]){ 1, 100 });
	curve_add(&curve, 20, (double[]){ 2, 50 });
	curve_add(&curve, 20, (double[]){ 9, 9 });
	curve_add(&curve, 40, (double[]){ 2, 70 });
	curve_at(&curve, 5, numbers);
	assert_true(numbers[0] == 1 && numbers[1] == 100);
	curve_at(&curve, 15, numbers);
	assert_true(numbers[0] == 1.5 && numbers[1] == 75);
	curve_at(&curve, 20, numbers);
	assert_true(numbers[0] == 2 && numbers[1] == 50);
	curve_at(&curve, 25, numbers);
	assert_true(numbers[0] == 2 && numbers[1] == 55);
	curve_at(&curve, 99, numbers);
	assert_true(numbers[0] == 2 && numbers[1] == 70);
	curve_release(&curve);
}

/* The kernel's records: asleep from 2 to 8 ms of each 10, except the third, in which it was preempted. */
TEST(records_of_switches_tell_when_a_thread_ran)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *f = build_node(&build, thread, &thread->root, F),
			*g = build_node(&build, thread, &thread->root, G);
	struct log_rows *rows;
	struct model *model;

	build_call(f, 60 * MS, 0);
	build_call(g, 40 * MS, 0);
	for (uint64_t i = 0; i < 10; i++) {
		slice(&build, thread, g, 10 * i, 10 * i + 2);
		slice(&build, thread, f, 10 * i + 2, 10 * i + 8);
		slice(&build, thread, g, 10 * i + 8, 10 * i + 10);
	}
	build_process_rows(&build);
	build_thread_rows(&build, thread->tid, 40, 15, 0);
	rows = build_rows(&build, "thread_off",
			  (const char *[]){ "thread_blocked_ns", "thread_preempted_ns" }, 2, 21);
	rows->id = thread->tid;
	build_row(rows, AT(0) + 1, (uint64_t[]){ 0, 0 });
	for (uint64_t i = 0; i < 10; i++) {
		uint64_t preempted = i > 2 ? 6 * MS : 0, blocked = i * 6 * MS - preempted;

		build_row(rows, AT(10 * i + 2) + 1, (uint64_t[]){ blocked, preempted });
		build_row(rows, AT(10 * i + 8) + 1,
			  (uint64_t[]){ blocked + (i == 2 ? 0 : 6 * MS), preempted + (i == 2 ? 6 * MS : 0) });
	}
	build_row(rows, AT(100) + 2, (uint64_t[]){ 54 * MS, 6 * MS });
	build_finish(&build, AT(100) + 3, 0);
	model = build_load(&build);
	function_use_read(model);
	assert_near(use_of(model, F)->total[USE_CPU_NS], 0, 1e4);
	assert_near(use_of(model, G)->total[USE_CPU_NS], 40e6, 1e4);
	assert_near(use_of(model, G)->total[USE_BLOCKED_NS], 0, 1e4);
	assert_near(use_of(model, F)->total[USE_WAIT_NS], 9 * 1.5e6 + 6e6, 1e4);
	assert_near(use_of(model, F)->total[USE_BLOCKED_NS], 9 * 4.5e6, 2e4);
	build_free(&build, model);
}

/*
 * Asleep from 2 to 8 ms of each 10 until 40 ms; of the next 20 ms the records were lost; then again as
 * before. Rows say that it ran for the first 10 of the 20 ms. These are shared by elapsed time, the rest is
 * exact.
 */
TEST(lost_records_of_switches_leave_a_gap_only)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *f = build_node(&build, thread, &thread->root, F),
			*g = build_node(&build, thread, &thread->root, G);
	struct log_rows *off;
	struct model *model;

	build_call(f, 60 * MS, 0);
	build_call(g, 40 * MS, 0);
	for (uint64_t i = 0; i < 10; i++) {
		slice(&build, thread, g, 10 * i, 10 * i + 2);
		slice(&build, thread, f, 10 * i + 2, 10 * i + 8);
		slice(&build, thread, g, 10 * i + 8, 10 * i + 10);
	}
	build_process_rows(&build);
	build_thread_rows(&build, thread->tid, 40, 0, 0);
	off = build_rows(&build, "thread_off",
			 (const char *[]){ "thread_blocked_ns", "thread_preempted_ns", "thread_unseen_ns" },
			 3, 20);
	off->id = thread->tid;
	build_row(off, AT(0) + 1, (uint64_t[]){ 0, 0, 0 });
	for (uint64_t i = 0, blocked = 0; i < 10; i++) {
		uint64_t unseen = i > 4 ? 20 * MS : 0;

		if (i == 5)
			build_row(off, AT(60) + 1, (uint64_t[]){ blocked, 0, unseen });
		if (i == 4)
			build_row(off, AT(40) + 1, (uint64_t[]){ blocked, 0, 0 });
		if (i == 4 || i == 5)
			continue;
		build_row(off, AT(10 * i + 2) + 1, (uint64_t[]){ blocked, 0, unseen });
		blocked += 6 * MS;
		build_row(off, AT(10 * i + 8) + 1, (uint64_t[]){ blocked, 0, unseen });
	}
	build_row(off, AT(100) + 2, (uint64_t[]){ 48 * MS, 0, 20 * MS });
	build_finish(&build, AT(100) + 3, 0);
	model = build_load(&build);
	function_use_read(model);
	assert_near(use_of(model, F)->total[USE_CPU_NS], 6e6, 2e4);
	assert_near(use_of(model, F)->total[USE_BLOCKED_NS], 54e6, 2e4);
	assert_near(use_of(model, G)->total[USE_CPU_NS], 36e6, 2e4);
	assert_near(use_of(model, G)->total[USE_BLOCKED_NS], 4e6, 2e4);
	build_free(&build, model);
}

/* Engines ran for 30 of the last 50 ms, and took 1 MiB then. The first row has no news yet. */
TEST(gpu_time_and_memory)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_node *f = build_node(&build, thread, &thread->root, F),
			*g = build_node(&build, thread, &thread->root, G);
	struct log_rows *rows;
	struct model *model;

	build_call(f, 50 * MS, 0);
	build_call(g, 50 * MS, 0);
	slice(&build, thread, f, 0, 50);
	slice(&build, thread, g, 50, 100);
	build_process_rows(&build);
	rows = build_rows(&build, "process_gpu", (const char *[]){ "gpu_engine_ns", "gpu_client_bytes" }, 2,
			  4);
	build_row(rows, AT(0) + 1, (uint64_t[]){ LOG_NONE, LOG_NONE });
	build_row(rows, AT(10) + 1, (uint64_t[]){ 5 * MS, 4096 });
	build_row(rows, AT(50) + 1, (uint64_t[]){ 5 * MS, 4096 });
	build_row(rows, AT(100) + 1, (uint64_t[]){ 35 * MS, 4096 + (1 << 20) });
	build_finish(&build, AT(100) + 2, 0);
	model = build_load(&build);
	function_use_read(model);
	assert_near(use_of(model, F)->total[USE_GPU_NS], 0, 1e3);
	assert_near(use_of(model, F)->total[USE_GPU_BYTES], 4096, 1);
	assert_near(use_of(model, G)->total[USE_GPU_NS], 30e6, 1e4);
	assert_near(use_of(model, G)->total[USE_GPU_BYTES], 1 << 20, 1e3);
	build_free(&build, model);
}
