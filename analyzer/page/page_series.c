/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Resources over time: the readings of each column of each process. If the page has no room for all of
 * them, each step of time keeps those that a picture needs: the first, least, largest and last of a gauge,
 * the last of a counter.
 */
#include "analyzer/page/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/log/logfile.h"
#include "analyzer/read/machine_rows.h"
#include "analyzer/resources/rate_bounds.h"
#include "analyzer/resources/series.h"

#define READINGS_MAX	400000	/* of all series together */
#define STEPS_MIN	60

struct readings {
	double *times;
	double *values;
	size_t nr;
};

/* One column of one set of rows of a process. */
struct source {
	struct process *process;
	const struct rowset *rows;
	uint32_t column;
};

static double reading(const struct source *source, size_t row)
{
	uint64_t raw = rowset_value(source->rows, row, source->column);

	return raw == LOG_NONE ? NAN : series_value(&source->rows->columns[source->column], raw);
}

static void keep(struct readings *readings, const struct source *source, size_t row)
{
	readings->times = xgrow(readings->times, readings->nr, sizeof(*readings->times));
	readings->values = xgrow(readings->values, readings->nr, sizeof(*readings->values));
	readings->times[readings->nr] = (double)row_time(source->process, source->rows, row);
	readings->values[readings->nr++] = reading(source, row);
}

/* Keep those of the rows [@first, @end) that a picture needs, in the order of time. */
static void keep_step(struct readings *readings, const struct source *source, size_t first, size_t end)
{
	bool is_gauge = source->rows->columns[source->column].kind != LOG_CUMULATIVE;
	size_t least = first, largest = first;

	for (size_t row = first; row < end; row++) {
		if (!(reading(source, least) <= reading(source, row)))
			least = row;
		if (!(reading(source, largest) >= reading(source, row)))
			largest = row;
	}
	for (size_t row = first; row < end; row++)
		if (row == end - 1 || (is_gauge && (row == first || row == least || row == largest)))
			keep(readings, source, row);
}

static void read_source(struct readings *readings, const struct source *source, size_t nr_max)
{
	bool is_gauge = source->rows->columns[source->column].kind != LOG_CUMULATIVE;
	size_t nr_rows = source->rows->nr_rows, nr_steps = is_gauge ? nr_max / 4 : nr_max;

	logfile_use(source->process->log);
	if (nr_rows <= nr_max)
		nr_steps = nr_rows;
	for (size_t i = 0; i < nr_steps; i++)
		keep_step(readings, source, i * nr_rows / nr_steps, (i + 1) * nr_rows / nr_steps);
}

/* Whether there is anything to see: a reading that is not 0. */
static bool is_worth(const struct source *source)
{
	double value;

	for (size_t row = 0; row < source->rows->nr_rows; row++) {
		value = reading(source, row);
		if (!isnan(value) && value != 0)
			return true;
	}
	return false;
}

static bool is_own(const struct rowset *rows)
{
	return strcmp(rows->set, "clock") == 0;
}

static void list_sources(struct source **sources, size_t *nr, struct process *process)
{
	logfile_use(process->log);
	for (size_t i = 0; i < process->nr_rowsets; i++) {
		for (uint32_t j = 0; j < process->rowsets[i].nr_columns; j++) {
			struct source source = { process, &process->rowsets[i], j };

			if (!is_own(source.rows) && is_worth(&source))
				APPEND(*sources, *nr) = source;
		}
	}
}

/* The name of a machine, with its run where there are several. */
static json_t *about_machine(const struct process *process)
{
	char *in_run = process->model->nr_runs > 1 ? xasprintf(", run %u", process->run + 1) : xstrdup("");
	char *name = xasprintf("%s%s", machine_name(process), in_run);
	json_t *text = page_text(name);

	free(in_run);
	free(name);
	return text;
}

static json_t *about_source(const struct source *source, size_t nr)
{
	const struct log_column *column = &source->rows->columns[source->column];
	int64_t process = rowset_is_of_machine(source->rows) ? -1 : page_process(source->process);
	json_t *about = json_object();
	double of_all = rate_most_of_all(source->process, source->rows, source->column);
	struct rate_bounds bounds;

	rate_bounds_find(&bounds, source->process, source->rows, source->column);
	if (process < 0)
		json_object_set_new(about, "machine", about_machine(source->process));
	json_object_set_new(about, "process", json_integer(process));
	json_object_set_new(about, "set", page_text(source->rows->set));
	json_object_set_new(about, "id", json_integer(source->rows->id));
	json_object_set_new(about, "column", page_text(column->name));
	json_object_set_new(about, "cumulative", json_boolean(column->kind == LOG_CUMULATIVE));
	json_object_set_new(about, "unit",
			    json_string(page_unit(series_unit(column, column->kind == LOG_CUMULATIVE))));
	json_object_set_new(about, "interval_ns", json_integer((json_int_t)source->rows->interval_ns));
	if (!isnan(bounds.most))
		json_object_set_new(about, "most", json_real(bounds.most));
	if (!isnan(of_all))
		json_object_set_new(about, "most_of_all", json_real(of_all));
	if (bounds.whole >= 0)
		json_object_set_new(about, "whole", page_text(source->rows->columns[bounds.whole].name));
	json_object_set_new(about, "rows", json_integer((json_int_t)source->rows->nr_rows));
	json_object_set_new(about, "readings", json_integer((json_int_t)nr));
	return about;
}

void page_add_series(struct page *page)
{
	const struct model *model = page->report->model;
	struct sheet *sheet = page_sheet(page, "series");
	struct readings readings = { .nr = 0 };
	struct source *sources = NULL;
	json_t *list = json_array();
	size_t nr = 0, nr_max;
	/* with --by-thread there is nothing to add: readings are of whole processes */
	bool of_threads = report_is_of_threads(page->report);

	for (size_t i = 0; i < model->nr_processes && !of_threads; i++)
		list_sources(&sources, &nr, model->processes[i]);
	for (size_t i = 0; i < model->nr_monitors && !of_threads; i++)
		list_sources(&sources, &nr, model->monitors[i]);
	nr_max = nr ? READINGS_MAX / nr : 0;
	if (nr_max < STEPS_MIN)
		nr_max = STEPS_MIN;
	for (size_t i = 0; i < nr; i++) {
		size_t before = readings.nr;

		read_source(&readings, &sources[i], nr_max);
		json_array_append_new(list, about_source(&sources[i], readings.nr - before));
	}
	json_object_set_new(sheet->about, "series", list);
	sheet_add_numbers(sheet, "time_ns", readings.times, readings.nr, SHEET_DELTA);
	sheet_add_numbers(sheet, "value", readings.values, readings.nr, SHEET_DELTA);
	free(readings.times);
	free(readings.values);
	free(sources);
}
