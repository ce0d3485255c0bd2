/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/read/time_namespaces: processes of a run whose monotonic clock is another one. */
#include <stdlib.h>
#include <string.h>

#include "test/unit/build_model.h"
#include "test/unit/unit.h"

#define SECOND		1000000000ll
#define TICKS_SECOND	2600000000ull
#define UPTIME_S	1000000
#define LATER_S		3	/* the second process */

static void put_off(struct log_clocks *clocks, int64_t later_s, int64_t ahead_s, int64_t set_s)
{
	clocks->ticks += (uint64_t)(UPTIME_S + later_s) * TICKS_SECOND;
	clocks->monotonic_ns += (uint64_t)((UPTIME_S + later_s + ahead_s) * SECOND);
	clocks->realtime_ns += (uint64_t)((later_s + set_s) * SECOND);
}

/*
 * A process that begins @later_s after the first, where the monotonic clock is @ahead_s; the real time was
 * set by @set_s.
 */
static void begin(struct build_run *run, uint32_t pid, uint32_t kind, int64_t later_s, int64_t ahead_s,
		  int64_t set_s)
{
	struct log_header *header;
	struct build build;

	build_init(&build, LOG_CLOCK_TSC, 1.0 / 2.6);
	header = build.header;
	header->pid = pid;
	header->kind = kind;
	header->start_again = build_clocks(&build, header->start.ticks + TICKS_SECOND / 1000);
	build_finish(&build, header->start.ticks + 10 * TICKS_SECOND, 0);
	put_off(&header->start, later_s, ahead_s, set_s);
	put_off(&header->start_again, later_s, ahead_s, set_s);
	put_off(&header->finish, later_s, ahead_s, set_s);
	build_thread(&build, "main")->begin_ticks = header->start.ticks;
	build_run_add(run, &build);
}

/* When the process of pid 20 began and ended in the run, in ms; that of pid 10 begins it. */
static void assert_second(struct build_run *run, int64_t begin_ms)
{
	struct model *model = build_run_load(run);
	const struct process *first, *second;

	assert_int_equal(model->nr_processes, 2);
	first = model->processes[model->processes[0]->header.pid != 10];
	second = model->processes[model->processes[0]->header.pid == 10];
	assert_int_equal(first->start / (int64_t)MS, 0);
	assert_int_equal((second->start + (int64_t)MS / 2) / (int64_t)MS, begin_ms);
	assert_int_equal((second->last - second->start + (int64_t)MS / 2) / (int64_t)MS, 10000);
	model_free(model);
}

TEST(a_container_may_be_ahead_or_behind)
{
	const int64_t ahead_s[] = { 100000, -100000, 2, -2, -LATER_S - 1 };

	for (size_t i = 0; i < sizeof(ahead_s) / sizeof(*ahead_s); i++) {
		struct build_run run = { .nr = 0 };

		begin(&run, 10, LOG_OF_PROGRAM, 0, 0, 0);
		begin(&run, 20, LOG_OF_PROGRAM, LATER_S, ahead_s[i], 0);
		assert_second(&run, LATER_S * 1000);
	}
}

TEST(a_real_time_that_was_set_is_no_other_clock)
{
	const int64_t set_s[] = { 3600, -3600 };

	for (size_t i = 0; i < sizeof(set_s) / sizeof(*set_s); i++) {
		struct build_run run = { .nr = 0 };

		begin(&run, 10, LOG_OF_PROGRAM, 0, 0, 0);
		begin(&run, 20, LOG_OF_PROGRAM, LATER_S, 0, set_s[i]);
		assert_second(&run, LATER_S * 1000);
	}
}

TEST(the_clock_of_insideme_run_is_the_run_s)
{
	struct build_run run = { .nr = 0 };
	struct model *model;

	begin(&run, 5, LOG_OF_MONITOR, -1, 0, 0);
	begin(&run, 10, LOG_OF_PROGRAM, 0, 500, 0);
	model = build_run_load(&run);
	assert_int_equal(model->nr_monitors, 1);
	assert_int_equal((model->monitors[0]->start - (int64_t)MS / 2) / (int64_t)MS, -1000);
	model_free(model);
}
