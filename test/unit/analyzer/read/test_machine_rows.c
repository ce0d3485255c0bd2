/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/read/machine_rows: rows of the machine that lie in several logs of a run. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/process_filter.h"
#include "analyzer/read/machine_rows.h"
#include "analyzer/resources/series.h"
#include "test/unit/build_model.h"
#include "test/unit/unit.h"

static const char *const system_columns[] = { "system_cpu_busy_ns", "system_cpu_total_ns" };
static const char *const core_columns[] = { "cpu0_busy_ns", "cpu1_busy_ns" };

static uint64_t at_ms(uint64_t ms)
{
	return NS_START + ms * MS;
}

/* Of a machine of two processors, one of which is busy. */
static void add_rows(struct build *build, const char *set, const uint64_t *ms, uint32_t nr)
{
	bool is_system = strcmp(set, "system") == 0;
	struct log_rows *rows = build_rows(build, set, is_system ? system_columns : core_columns, 2, nr);
	struct log_column *columns = (struct log_column *)(rows + 1);

	rows->interval_ns = 100 * MS;
	for (uint32_t i = 0; i < 2; i++) {
		columns[i].unit = LOG_UNIT_NS;
		columns[i].kind = LOG_CUMULATIVE;
	}
	for (uint32_t i = 0; i < nr; i++) {
		uint64_t busy_ns = 7000 * MS + ms[i] * MS,
			 values[] = { busy_ns, is_system ? 2 * busy_ns : 0 };

		build_row(rows, at_ms(ms[i]) * (build->header->clock == LOG_CLOCK_TSC ? 2 : 1), values);
	}
}

/* If @clock is the processor's counter, two ticks are a ns. */
static void begin(struct build *build, uint32_t pid, uint32_t clock)
{
	build_begin(build);
	if (clock == LOG_CLOCK_TSC) {
		build_release(build);
		build_init(build, clock, 0.5);
		build->header->start.ticks *= 2;
		build->header->start.monotonic_ns *= 2;
		build->header->start_again.ticks = build->header->start.ticks + 2 * MS;
		build->header->start_again.monotonic_ns = build->header->start.monotonic_ns + MS;
		build->header->start_again.realtime_ns = build->header->start.realtime_ns + MS;
	}
	build->header->pid = pid;
}

static struct process *find(const struct model *model, uint32_t pid)
{
	for (size_t i = 0; i < model->nr_processes; i++)
		if (model->processes[i]->header.pid == pid)
			return model->processes[i];
	fail();
	return NULL;
}

static void assert_rows(struct process *process, const char *set, const uint64_t *ms, size_t nr)
{
	const struct rowset *rows = process_rowset(process, set);

	assert_non_null(rows);
	assert_int_equal(rows->nr_rows, nr);
	for (size_t i = 0; i < nr; i++) {
		assert_int_equal(row_time(process, rows, i), ms[i] * MS);
		assert_int_equal(rowset_value(rows, i, 0), (7000 + ms[i]) * MS);
	}
}

/*
 * One after the other, and back. The middle one is killed; rows of the machine that others took do not extend
 * its life.
 */
static struct model *load_turns(const struct filter *filter, uint32_t clock)
{
	struct build_run logs = { .nr = 0 };
	struct build builds[3];
	struct model *model;

	for (uint32_t i = 0; i < 3; i++)
		begin(&builds[i], 10 + i, i == 1 ? clock : LOG_CLOCK_MONOTONIC);
	add_rows(&builds[2], "system", (uint64_t[]){ 100, 200, 700 }, 3);
	add_rows(&builds[1], "system", (uint64_t[]){ 300, 400 }, 2);
	add_rows(&builds[0], "system", (uint64_t[]){ 500, 600 }, 2);
	add_rows(&builds[0], "cores", (uint64_t[]){ 500, 600 }, 2);
	add_rows(&builds[1], "cores", (uint64_t[]){ 300, 400 }, 2);
	build_finish(&builds[0], at_ms(1000), 0);
	build_finish(&builds[2], at_ms(1000), 0);
	for (int i = 0; i < 3; i++)
		build_run_add(&logs, &builds[i]);
	model = model_load(logs.list, logs.nr, filter);
	assert_non_null(model);
	return model;
}

TEST(turns_of_several_are_one_curve_of_one)
{
	static const uint32_t clocks[] = { LOG_CLOCK_MONOTONIC, LOG_CLOCK_TSC };

	for (int i = 0; i < 2; i++) {
		struct model *model = load_turns(NULL, clocks[i]);
		struct process *owner = model->processes[0];
		struct series series;

		assert_rows(owner, "system", (uint64_t[]){ 100, 200, 300, 400, 500, 600, 700 }, 7);
		assert_rows(owner, "cores", (uint64_t[]){ 300, 400, 500, 600 }, 4);
		for (size_t j = 1; j < 3; j++) {
			assert_null(process_rowset(model->processes[j], "system"));
			assert_null(process_rowset(model->processes[j], "cores"));
		}
		assert_int_equal(find(model, 11)->last, 400 * MS);
		series_of_all(&series, model, "system", "system_cpu_busy_ns", 16);
		assert_true(series.mean > 0.999 && series.mean < 1.001);
		assert_true(series.peak < 1.001);
		assert_true(series.last == 600.0 * MS);
		series_release(&series);
		model_free(model);
	}
}

TEST(a_process_that_is_reported_alone_has_all_of_the_machine)
{
	static char *const names[] = { "11", "12" };

	for (uint32_t i = 0; i < 2; i++) {
		struct filter filter = { 0 };
		struct model *model;

		assert_int_equal(filter_parse(&filter, FILTER_PROCESS, names[i]), 0);
		model = load_turns(&filter, LOG_CLOCK_TSC);
		assert_int_equal(model->nr_processes, 1);
		assert_rows(find(model, 11 + i), "system", (uint64_t[]){ 100, 200, 300, 400, 500, 600, 700 },
			    7);
		model_free(model);
		filter_release(&filter);
	}
}

/* Its ms was measured 1 % too long. */
TEST(a_short_process_does_not_tell_when_later_rows_were)
{
	struct build_run logs = { .nr = 0 };
	struct filter filter = { 0 };
	struct build builds[2];
	struct model *model;

	for (uint32_t i = 0; i < 2; i++)
		begin(&builds[i], 10 + i, LOG_CLOCK_TSC);
	builds[0].header->start_again.monotonic_ns += MS / 100;
	add_rows(&builds[1], "system", (uint64_t[]){ 100, 200, 3600000 }, 3);
	for (int i = 0; i < 2; i++)
		build_run_add(&logs, &builds[i]);
	assert_int_equal(filter_parse(&filter, FILTER_PROCESS, "10"), 0);
	model = model_load(logs.list, logs.nr, &filter);
	assert_non_null(model);
	assert_rows(find(model, 10), "system", (uint64_t[]){ 100, 200, 3600000 }, 3);
	model_free(model);
	filter_release(&filter);
}

/* In old logs each process had rows. Nothing is counted twice. */
TEST(rows_of_one_time_add_nothing)
{
	struct build_run logs = { .nr = 0 };
	struct model *model;
	struct series series;

	for (uint32_t i = 0; i < 3; i++) {
		struct build build;

		begin(&build, 10 + i, LOG_CLOCK_MONOTONIC);
		add_rows(&build, "system", (uint64_t[]){ 100 + 20 * i, 200 + 20 * i, 300 + 20 * i, 400 }, 4);
		build_finish(&build, at_ms(1000), 0);
		build_run_add(&logs, &build);
	}
	model = build_run_load(&logs);
	assert_rows(model->processes[0], "system",
		    (uint64_t[]){ 100, 120, 140, 200, 220, 240, 300, 320, 340, 400 }, 10);
	series_of_all(&series, model, "system", "system_cpu_total_ns", 16);
	assert_true(series.mean > 1.999 && series.peak < 2.001);
	series_release(&series);
	model_free(model);
}

TEST(other_machines_stay_apart)
{
	struct build_run logs = { .nr = 0 };
	struct model *model;

	for (uint32_t i = 0; i < 4; i++) {
		struct build build;

		begin(&build, 10 + i, LOG_CLOCK_MONOTONIC);
		if (i >= 2) {
			strcpy(build.header->boot_id, "another");
			strcpy(build.header->host, "node18");
		}
		if (i == 1)
			strcpy(build.header->host, "container");	/* of one boot, so of one machine */
		add_rows(&build, "system", (uint64_t[]){ 100 * (i + 1), 500 + 100 * i }, 2);
		build_finish(&build, at_ms(1000), 0);
		build_run_add(&logs, &build);
	}
	model = build_run_load(&logs);
	assert_rows(find(model, 10), "system", (uint64_t[]){ 100, 200, 500, 600 }, 4);
	assert_rows(find(model, 12), "system", (uint64_t[]){ 300, 400, 700, 800 }, 4);
	assert_null(process_rowset(find(model, 11), "system"));
	assert_null(process_rowset(find(model, 13), "system"));
	assert_string_equal(machine_name(find(model, 10)), "machine");
	assert_string_equal(machine_name(find(model, 12)), "node18");
	model_free(model);
}

/* A run that insideme-run began to watch later. */
TEST(what_looked_from_outside_has_them_all)
{
	struct build_run logs = { .nr = 0 };
	struct build program, monitor;
	struct model *model;

	begin(&program, 10, LOG_CLOCK_MONOTONIC);
	add_rows(&program, "system", (uint64_t[]){ 100, 200 }, 2);
	begin(&monitor, 20, LOG_CLOCK_MONOTONIC);
	monitor.header->kind = LOG_OF_MONITOR;
	add_rows(&monitor, "system", (uint64_t[]){ 300, 400 }, 2);
	build_run_add(&logs, &program);
	build_run_add(&logs, &monitor);
	model = build_run_load(&logs);
	assert_null(process_rowset(model->processes[0], "system"));
	assert_rows(model->monitors[0], "system", (uint64_t[]){ 100, 200, 300, 400 }, 4);
	model_free(model);
}
