/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/resources/time_curve: when a thread ran, by records of switches alone, and before its rows. */
#include "analyzer/resources/time_curve.h"
#include "test/unit/build_model.h"
#include "test/unit/unit.h"

#define AT(ms) (NS_START + (ms) * MS)

/*
 * A thread begins at 0. From @first ms on, records say: of each 10 ms asleep for 6, in the last 10 ms
 * preempted for 6 in their place.
 */
static void read_curve(struct curve *times, uint64_t first)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_rows *off;
	struct model *model;

	build_call(build_node(&build, thread, &thread->root, F), 60 * MS, 0);
	off = build_rows(&build, "thread_off", (const char *[]){ "thread_blocked_ns", "thread_preempted_ns" },
			 2, 11);
	off->id = thread->tid;
	for (uint64_t i = 0; i < 10; i++)
		build_row(off, AT(first + 10 * i), (uint64_t[]){ i * 6 * MS, 0 });
	build_row(off, AT(first + 100), (uint64_t[]){ 54 * MS, 6 * MS });
	build_finish(&build, AT(first + 100) + 1, 0);
	model = build_load(&build);
	time_curve_read(times, model->processes[0]->threads[0], thread->tid);
	build_free(&build, model);
}

static void assert_times(struct curve *times, int64_t from, int64_t to, double cpu_ns, double wait_ns)
{
	double before[NR_TIMES], now[NR_TIMES];

	curve_at(times, from, before);
	curve_at(times, to, now);
	assert_true(fabs(now[TIMES_CPU] - before[TIMES_CPU] - cpu_ns) < 1e3);
	assert_true(fabs(now[TIMES_WAIT] - before[TIMES_WAIT] - wait_ns) < 1e3);
}

TEST(records_alone_say_when_a_thread_ran)
{
	struct curve times;

	read_curve(&times, 20);
	assert_times(&times, 20 * MS, 110 * MS, 36e6, 0);
	assert_times(&times, 110 * MS, 120 * MS, 4e6, 6e6);
	assert_times(&times, 0, 20 * MS, 8e6, 1.2e6);	/* as later on */
	curve_release(&times);
}

TEST(records_that_begin_late_say_nothing)
{
	struct curve times;

	read_curve(&times, 30);
	assert_int_equal(times.nr, 0);
	curve_release(&times);
}

TEST(cpu_time_from_before_the_start_is_not_of_a_call)
{
	struct build build;
	struct log_thread *thread = build_begin(&build);
	struct log_rows *own, *rows;
	struct model *model;
	struct curve times;

	build.header->start_cpu_ns = 8 * MS;
	build_call(build_node(&build, thread, &thread->root, F), 60 * MS, 0);
	rows = build_rows(&build, "process", (const char *[]){ "cpu_ns" }, 1, 2);
	own = build_rows(&build, "thread", (const char *[]){ "thread_cpu_ns", "thread_wait_ns" }, 2, 2);
	own->id = thread->tid;
	for (uint64_t i = 1; i < 3; i++) {
		build_row(rows, AT(10 * i), (uint64_t[]){ 9 * MS });
		build_row(own, AT(10 * i), (uint64_t[]){ 9 * MS, 0 });
	}
	build_finish(&build, AT(20) + 1, 0);
	model = build_load(&build);
	time_curve_read(&times, model->processes[0]->threads[0], thread->tid);
	assert_times(&times, 0, 10 * MS, 1e6, 0);
	assert_times(&times, 10 * MS, 20 * MS, 0, 0);
	curve_release(&times);
	build_free(&build, model);
}
