/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * analyzer/resources/series: figures of one column from rows of known values, and rows of several things in
 * one set.
 */
#include <string.h>

#include "analyzer/resources/series.h"
#include "test/unit/build_model.h"
#include "test/unit/unit.h"

#define NR_ROWS 50

static struct build build;

/* A set of one column: 50 rows, 10 ms apart, of @begin + i * @step. */
static struct log_rows *build_line(const char *set, uint16_t unit, uint16_t kind, uint64_t begin,
				   uint64_t step)
{
	struct log_rows *rows = build_rows(&build, set, (const char *[]){ "value" }, 1, NR_ROWS);
	struct log_column *column = (struct log_column *)(rows + 1);

	column->unit = unit;
	column->kind = kind;
	for (uint64_t i = 0; i < NR_ROWS; i++)
		build_row(rows, NS_START + (i + 1) * 10 * MS, (uint64_t[]){ begin + i * step });
	return rows;
}

static struct series series_of(struct model *model, const char *set)
{
	struct process *process = model->processes[0];
	struct rowset *rows = process_rowset(process, set);
	struct series series;

	series_of_column(&series, model, process, rows, 0, 10);
	series_release(&series);
	return series;
}

static void assert_near(double found, double expected)
{
	assert_true(fabs(found - expected) <= 1e-6 * fabs(expected));
}

TEST(slopes_and_rates_are_those_of_the_lines)
{
	struct model *model;
	struct series series;

	build_begin(&build);
	build_line("grows", LOG_UNIT_BYTES, LOG_GAUGE, 1000, 20);
	build_line("falls", LOG_UNIT_BYTES, LOG_GAUGE, 5000, (uint64_t)-20);
	build_line("waits", LOG_UNIT_WAIT_NS, LOG_CUMULATIVE, 77, 5 * MS);
	build_line("joules", LOG_UNIT_MILLI, LOG_CUMULATIVE, 0, 300);
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	series = series_of(model, "grows");
	assert_near(series.slope, 2000);
	assert_near(series.mean, 1490);
	assert_near(series.peak, 1980);
	assert_near(series_of(model, "falls").slope, -2000);
	series = series_of(model, "waits");
	assert_near(series.mean, 50);
	assert_int_equal(series.unit, UNIT_PERCENT);
	assert_int_equal(series.last_unit, UNIT_NS);
	assert_true(isnan(series.slope));
	series = series_of(model, "joules");
	assert_near(series.mean, 30);
	assert_near(series.last, 14.7);
	build_free(&build, model);
}

/* 20 ms before the first reading 10 ms after the start, 1 ms in each 10 ms after it, nothing after 500 ms. */
TEST(cpu_time_of_one_process_is_that_of_its_whole_life)
{
	struct log_rows *rows;
	struct model *model;
	struct series series;

	build_begin(&build);
	rows = build_rows(&build, "process", (const char *[]){ "cpu_ns", "threads" }, 2, NR_ROWS);
	((struct log_column *)(rows + 1))->unit = LOG_UNIT_NS;
	((struct log_column *)(rows + 1))->kind = LOG_CUMULATIVE;
	for (uint64_t i = 0; i < NR_ROWS; i++)
		build_row(rows, NS_START + (i + 1) * 10 * MS, (uint64_t[]){ 20 * MS + i * MS, 4 });
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	series_of_all(&series, model, "process", "cpu_ns", 10);
	assert_near(series.mean, 0.069);
	assert_near(series.peak, 2);
	assert_near(series.last, 69e6);
	series_release(&series);
	build_free(&build, model);
}

/* PSS is read only while a process is small. */
TEST(a_gauge_that_is_known_once_has_one_reading)
{
	struct log_rows *rows;
	struct model *model;
	struct series series;

	build_begin(&build);
	rows = build_rows(&build, "maps", (const char *[]){ "value" }, 1, 3);
	((struct log_column *)(rows + 1))->unit = LOG_UNIT_BYTES;
	((struct log_column *)(rows + 1))->kind = LOG_GAUGE;
	for (uint64_t i = 0; i < 3; i++)
		build_row(rows, NS_START + (i + 1) * 10 * MS, (uint64_t[]){ i ? LOG_NONE : 1000 });
	build_line("grows", LOG_UNIT_BYTES, LOG_GAUGE, 1000, 20);
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	series = series_of(model, "maps");
	assert_int_equal(series.nr_readings, 1);
	assert_int_equal(series.last_time, 10 * MS);
	assert_int_equal(series_of(model, "grows").nr_readings, NR_ROWS);
	build_free(&build, model);
}

TEST(a_counter_that_goes_back_makes_no_negative_rate)
{
	struct log_rows *rows;
	struct model *model;
	struct series series;

	build_begin(&build);
	rows = build_line("goes_back", LOG_UNIT_COUNT, LOG_CUMULATIVE, 1000, 10);
	memset((uint8_t *)(rows + 1) + sizeof(struct log_column) + 25 * 16 + 8, 0, 8);
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	series = series_of(model, "goes_back");
	assert_true(series.min >= 0 && series.mean >= 0);
	build_free(&build, model);
}

static void count_up(struct log_rows *rows, uint32_t column, uint16_t unit)
{
	struct log_column *columns = (struct log_column *)(rows + 1);

	columns[column].unit = unit;
	columns[column].kind = LOG_CUMULATIVE;
}

/*
 * Steps of 30 ms in counters of a process, one of them a part of another. Two processors have no room for
 * more than two.
 */
TEST(a_rate_is_at_most_what_there_is)
{
	const char *const process_columns[] = { "cpu_ns", "user_ns", "children_ns" };
	const char *const system_columns[] = { "system_cpu_busy_ns", "system_cpu_total_ns", "cpu_stall_ns" };
	struct log_rows *process_rows, *system_rows;
	struct model *model;
	struct series series;

	build_begin(&build);
	process_rows = build_rows(&build, "process", process_columns, 3, NR_ROWS);
	system_rows = build_rows(&build, "system", system_columns, 3, NR_ROWS);
	count_up(process_rows, 0, LOG_UNIT_NS);
	count_up(process_rows, 1, LOG_UNIT_NS);
	count_up(process_rows, 2, LOG_UNIT_NS);
	count_up(system_rows, 0, LOG_UNIT_NS);
	count_up(system_rows, 1, LOG_UNIT_NS);
	count_up(system_rows, 2, LOG_UNIT_WAIT_NS);
	for (uint64_t i = 0; i < NR_ROWS; i++) {
		uint64_t ticks = NS_START + (i + 1) * 10 * MS, step = i / 10 * 30 * MS;

		build_row(process_rows, ticks, (uint64_t[]){ i * 3 * MS, step, step });
		build_row(system_rows, ticks,
			  (uint64_t[]){ i * 19 * MS + step / 10, i * 20 * MS + step / 10,
					i * 10 * MS + step / 10 });
	}
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	for (uint32_t column = 1; column < 3; column++) {
		series_of_column(&series, model, model->processes[0],
				 process_rowset(model->processes[0], "process"), column, 10);
		series_release(&series);
		assert_near(series.peak, column == 1 ? 0.3 : 2);
		assert_true(series.mean < 0.31);
	}
	for (uint32_t column = 0; column < 3; column++) {
		series_of_column(&series, model, model->processes[0],
				 process_rowset(model->processes[0], "system"), column, 10);
		series_release(&series);
		assert_near(series.peak, column < 2 ? 2 : 100);
		assert_true(series.mean <= series.peak);
	}
	build_free(&build, model);
}

/*
 * A processor for 40 ms of 50 and 10 MiB at @begin_ms, of which the last row, at 50 ms, may be the only one.
 */
static void add_worker(struct build_run *logs, uint32_t pid, uint64_t begin_ms, bool one_row)
{
	struct build worker;
	struct log_rows *rows;
	struct log_column *columns;

	build_init(&worker, LOG_CLOCK_MONOTONIC, 1);
	worker.header->pid = pid;
	worker.header->start = build_clocks(&worker, NS_START + begin_ms * MS);
	worker.header->start_again = build_clocks(&worker, NS_START + (begin_ms + 1) * MS);
	rows = build_rows(&worker, "process", (const char *[]){ "cpu_ns", "rss_bytes", "threads" }, 3, 5);
	columns = (struct log_column *)(rows + 1);
	count_up(rows, 0, LOG_UNIT_NS);
	columns[1].unit = LOG_UNIT_BYTES;
	columns[1].kind = columns[2].kind = LOG_GAUGE;
	for (uint64_t i = one_row ? 4 : 0; i < 5; i++)
		build_row(rows, NS_START + (begin_ms + (i + 1) * 10) * MS,
			  (uint64_t[]){ i * 10 * MS, 10 << 20, 1 });
	build_finish(&worker, NS_START + (begin_ms + 50) * MS, 0);
	build_run_add(logs, &worker);
}

/* Nine one after the other, then two at once: each step of the curve has several of the former. */
TEST(processes_together_use_what_those_of_the_time_use)
{
	struct build_run logs = { .nr = 0 };
	struct model *model;
	struct series cpu, rss;

	for (uint32_t i = 0; i < 9; i++)
		add_worker(&logs, 10 + i, 50 * i, i % 2);
	add_worker(&logs, 20, 450, false);
	add_worker(&logs, 21, 450, false);
	model = build_run_load(&logs);
	series_of_all(&cpu, model, "process", "cpu_ns", 4);
	series_of_all(&rss, model, "process", "rss_bytes", 4);
	assert_near(cpu.peak, 2);
	assert_near(cpu.line.steps[1], 1);
	assert_near(cpu.mean, 11 * 40.0 / 500);
	assert_near(cpu.last, 11 * 40 * MS);
	assert_near(rss.peak, 20 << 20);
	assert_near(rss.line.steps[1], 10 << 20);
	assert_near(rss.mean, 11 * 50.0 / 500 * (10 << 20));
	series_release(&cpu);
	series_release(&rss);
	model_free(model);
}

/*
 * A shell whose commands end before they have a row, and one that has rows: it used half a processor for a
 * tenth of the time.
 */
TEST(processes_without_rows_count_by_what_they_used)
{
	struct build_run logs = { .nr = 0 };
	struct model *model;
	struct series cpu;

	add_worker(&logs, 10, 450, false);
	for (uint32_t i = 0; i < 9; i++) {
		struct build worker;

		build_init(&worker, LOG_CLOCK_MONOTONIC, 1);
		worker.header->pid = 20 + i;
		worker.header->start = build_clocks(&worker, NS_START + 50 * i * MS);
		worker.header->start_again = build_clocks(&worker, NS_START + (50 * i + 1) * MS);
		worker.header->finish_user_ns = 10 * MS;
		worker.header->finish_system_ns = 20 * MS;
		worker.header->finish_peak_rss_bytes = 1 << 20;
		build_finish(&worker, NS_START + 50 * (i + 1) * MS, 0);
		build_run_add(&logs, &worker);
	}
	model = build_run_load(&logs);
	series_of_all(&cpu, model, "process", "cpu_ns", 4);
	assert_near(cpu.peak, 1);
	assert_near(cpu.line.steps[1], 0.6);
	assert_near(cpu.mean, (40 + 9 * 30) / 500.0);
	series_release(&cpu);
	model_free(model);
}

TEST(a_process_of_one_thread_uses_one_processor)
{
	struct log_rows *rows;
	struct model *model;
	struct series series;

	build_begin(&build);
	rows = build_rows(&build, "process", (const char *[]){ "cpu_ns", "threads" }, 2, NR_ROWS);
	count_up(rows, 0, LOG_UNIT_NS);
	((struct log_column *)(rows + 1))[1].kind = LOG_GAUGE;
	for (uint64_t i = 0; i < NR_ROWS; i++)
		build_row(rows, NS_START + (i + 1) * 10 * MS, (uint64_t[]){ (i + i % 2) * 9 * MS, 1 });
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	series = series_of(model, "process");
	assert_near(series.peak, 1);
	build_free(&build, model);
}

/* Readings of its threads are older than the row, by different times: 20 ms of waiting in 10 ms. */
TEST(a_process_of_one_thread_waits_all_the_time_at_most)
{
	struct log_rows *rows;
	struct model *model;
	struct series series;

	build_begin(&build);
	build_line("process_slow", LOG_UNIT_WAIT_NS, LOG_CUMULATIVE, 0, 20 * MS);
	rows = build_rows(&build, "process", (const char *[]){ "cpu_ns", "threads" }, 2, NR_ROWS);
	((struct log_column *)(rows + 1))[1].kind = LOG_GAUGE;
	for (uint64_t i = 0; i < NR_ROWS; i++)
		build_row(rows, NS_START + (i + 1) * 10 * MS, (uint64_t[]){ i * MS, 1 });
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	series = series_of(model, "process_slow");
	assert_near(series.peak, 100);
	build_free(&build, model);
}

TEST(areas_of_one_set_and_another_id_stay_apart)
{
	struct model *model;
	struct process *process;

	build_begin(&build);
	build_line("thread", LOG_UNIT_NS, LOG_CUMULATIVE, 0, 1)->id = 17;
	build_line("thread", LOG_UNIT_NS, LOG_CUMULATIVE, 0, 2)->id = 18;
	build_finish(&build, NS_START + 1000 * MS, 0);
	model = build_load(&build);
	process = model->processes[0];
	assert_int_equal(process->nr_rowsets, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(process->rowsets[i].id, 17 + i);
		assert_int_equal(process->rowsets[i].nr_rows, NR_ROWS);
	}
	build_free(&build, model);
}
