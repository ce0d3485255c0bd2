/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/read/children_rows: the owners of rows that insideme-run took for processes without a log. */
#include <stdlib.h>
#include <string.h>

#include "test/unit/build_model.h"
#include "test/unit/unit.h"

#define PID	5000u

static const char *const columns[] = { "cpu_ns" };

static uint64_t at_ms(uint64_t ms)
{
	return NS_START + ms * MS;
}

/* Rows of one column, the ms at which they were read. @scale: ticks of this log for one of the others. */
static void add_rows(struct build *build, const char *set, uint32_t id, uint64_t scale, const uint64_t *ms,
		     uint32_t nr)
{
	struct log_rows *rows = build_rows(build, set, columns, 1, nr);

	rows->id = id;
	for (uint32_t i = 0; i < nr; i++)
		build_row(rows, at_ms(ms[i]) * scale, &ms[i]);
}

static void add_entry(struct build *build, uint32_t pid, uint64_t begin_ms, uint64_t end_ms)
{
	struct log_entry *entry = build_record(build, sizeof(*entry), LOG_RECORD_ENTRY, at_ms(begin_ms));

	entry->pid = pid;
	entry->ppid = 4242;
	entry->process_start = 700 + begin_ms;
	entry->begin = build_clocks(build, at_ms(begin_ms));
	if (end_ms) {
		entry->end = LOG_EXITED;
		entry->finish = build_clocks(build, at_ms(end_ms));
	}
}

static struct process *find(const struct model *model, uint32_t pid, uint64_t begin_ms)
{
	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct log_header *header = &model->processes[i]->header;

		if (header->pid == pid && header->start.monotonic_ns == at_ms(begin_ms))
			return model->processes[i];
	}
	fail();
	return NULL;
}

static void assert_rows(const struct process *process, const char *set, uint32_t id, const uint64_t *ms,
			size_t nr)
{
	const struct rowset *rows = process_rowset(process, set);

	assert_non_null(rows);
	assert_int_equal(rows->id, id);
	assert_int_equal(rows->nr_rows, nr);
	for (size_t i = 0; i < nr; i++) {
		assert_int_equal(rowset_ticks(rows, i), at_ms(ms[i]));
		assert_int_equal(rowset_value(rows, i, 0), ms[i]);
	}
}

/* insideme-run's log: with the processor's counter two ticks are a ns. It begins when the others do. */
static void begin_monitor(struct build *monitor, uint32_t clock)
{
	if (clock == LOG_CLOCK_TSC) {
		build_init(monitor, clock, 0.5);
		monitor->header->start.ticks *= 2;
		monitor->header->start.monotonic_ns *= 2;
		monitor->header->start_again.ticks = monitor->header->start.ticks + 2 * MS;
		monitor->header->start_again.monotonic_ns = monitor->header->start.monotonic_ns + MS;
		monitor->header->start_again.realtime_ns = monitor->header->start.realtime_ns + MS;
	} else {
		build_begin(monitor);
	}
	monitor->header->kind = LOG_OF_MONITOR;
	monitor->header->pid = 4000;
}

static struct model *load(struct build *program, struct build *other, struct build *monitor)
{
	struct build_run logs = { .nr = 0 };

	build_run_add(&logs, program);
	if (other)
		build_run_add(&logs, other);
	build_run_add(&logs, monitor);
	return build_run_load(&logs);
}

/* Two children with one pid, one after the other. The third pid is not known. */
TEST(rows_belong_to_who_had_the_pid_then)
{
	static const uint32_t clocks[] = { LOG_CLOCK_MONOTONIC, LOG_CLOCK_TSC };

	for (int i = 0; i < 2; i++) {
		struct build program, monitor;
		struct model *model;

		build_begin(&program);
		add_entry(&program, PID, 10, 40);
		add_entry(&program, PID, 60, 0);
		begin_monitor(&monitor, clocks[i]);
		add_rows(&monitor, "process", PID, (uint64_t)i + 1, (uint64_t[]){ 5, 20, 30, 70, 80, 90 }, 6);
		add_rows(&monitor, "thread", PID, (uint64_t)i + 1, (uint64_t[]){ 25, 75 }, 2);
		add_rows(&monitor, "process", PID + 1, (uint64_t)i + 1, (uint64_t[]){ 20, 30 }, 2);
		add_rows(&monitor, "gpu0_process", PID, (uint64_t)i + 1, (uint64_t[]){ 20 }, 1);
		model = load(&program, NULL, &monitor);
		assert_int_equal(model->nr_processes, 3);
		assert_rows(find(model, PID, 10), "process", 0, (uint64_t[]){ 20, 30 }, 2);
		assert_rows(find(model, PID, 60), "process", 0, (uint64_t[]){ 70, 80, 90 }, 3);
		assert_rows(find(model, PID, 10), "thread", PID, (uint64_t[]){ 25 }, 1);
		assert_rows(find(model, PID, 60), "thread", PID, (uint64_t[]){ 75 }, 1);
		assert_null(process_rowset(model->monitors[0], "process"));
		assert_non_null(process_rowset(model->monitors[0], "gpu0_process"));
		assert_null(process_rowset(find(model, 4242, 0), "process"));
		model_free(model);
	}
}

/* Its own log begins where it was forked, and has rows later. */
TEST(rows_before_the_own_log_are_one_curve_with_those_in_it)
{
	struct build program, own, monitor;
	struct model *model;

	build_begin(&program);
	build_init(&own, LOG_CLOCK_MONOTONIC, 1);
	own.header->pid = PID;
	own.header->start = build_clocks(&own, at_ms(10));
	own.header->start_again = build_clocks(&own, at_ms(11));
	add_rows(&own, "process", 0, 1, (uint64_t[]){ 50, 60, 70 }, 3);
	begin_monitor(&monitor, LOG_CLOCK_MONOTONIC);
	add_rows(&monitor, "process", PID, 1, (uint64_t[]){ 20, 40, 51 }, 3);
	add_rows(&monitor, "memory", PID, 1, (uint64_t[]){ 20, 40 }, 2);
	model = load(&program, &own, &monitor);
	assert_int_equal(model->nr_processes, 2);
	assert_rows(find(model, PID, 10), "process", 0, (uint64_t[]){ 20, 40, 51, 60, 70 }, 5);
	/* those of "process", too */
	assert_rows(find(model, PID, 10), "memory", 0, (uint64_t[]){ 20, 40, 51, 60, 70 }, 5);
	model_free(model);
}

static const char *const off_columns[] = { "thread_blocked_ns", "thread_preempted_ns", "thread_unseen_ns" };

static void add_off_rows(struct build *build, const uint64_t (*rows_ms)[2], uint32_t nr)
{
	struct log_rows *rows = build_rows(build, "thread_off", off_columns, 3, nr);

	rows->id = PID;
	for (uint32_t i = 0; i < nr; i++)
		build_row(rows, at_ms(rows_ms[i][0]), (uint64_t[]){ rows_ms[i][1] * MS, 0, 0 });
}

/* Blocked time, by sums that begin anew with the own log. The earlier records overlap it, or end before. */
TEST(sums_of_records_that_began_anew_go_on)
{
	for (uint64_t last_ms = 40; last_ms <= 60; last_ms += 20) {
		const uint64_t seen_ms = last_ms < 50 ? last_ms : 50;
		struct build program, own, monitor;
		const struct rowset *rows;
		struct model *model;
		size_t last;

		build_begin(&program);
		build_init(&own, LOG_CLOCK_MONOTONIC, 1);
		own.header->pid = PID;
		own.header->start = build_clocks(&own, at_ms(10));
		own.header->start_again = build_clocks(&own, at_ms(11));
		add_off_rows(&own, (const uint64_t[][2]){ { 50, 0 }, { 250, 200 } }, 2);
		begin_monitor(&monitor, LOG_CLOCK_MONOTONIC);
		add_off_rows(&monitor, (const uint64_t[][2]){ { 20, 0 }, { last_ms, last_ms - 20 } }, 2);
		model = load(&program, &own, &monitor);
		rows = process_rowset(find(model, PID, 10), "thread_off");
		last = rows->nr_rows - 1;
		assert_int_equal(rowset_ticks(rows, last), at_ms(250));
		assert_int_equal(rowset_value(rows, last, 0), (seen_ms - 20 + 200) * MS);
		assert_int_equal(rowset_value(rows, last, 2), (50 - seen_ms) * MS);
		model_free(model);
	}
}

TEST(a_child_may_be_entered_long_after_its_ancestor_has_ended)
{
	struct build program, monitor;
	struct model *model;

	build_begin(&program);
	add_entry(&program, PID, 20000, 0);
	build_finish(&program, at_ms(100), 0);
	begin_monitor(&monitor, LOG_CLOCK_MONOTONIC);
	add_rows(&monitor, "process", PID, 1, (uint64_t[]){ 20010, 20020 }, 2);
	model = load(&program, NULL, &monitor);
	assert_int_equal(model->nr_damaged, 0);
	assert_rows(find(model, PID, 20000), "process", 0, (uint64_t[]){ 20010, 20020 }, 2);
	model_free(model);
}
