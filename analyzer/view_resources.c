/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Resources: figures of each column of each process, and (csv, json) the rows themselves, one for each reading
 * of a set: time_ns,pid,program,set and then all columns; those that are not of the row's set are empty.
 */
#include "views.h"

#include <stdlib.h>
#include <string.h>

#include "cells.h"
#include "error.h"
#include "resource_limits.h"
#include "series.h"
#include "terminal.h"

#define STEPS_MIN	16
#define STEPS_MAX	40
#define FIGURES_WIDTH	50	/* what stands beside a curve at least */
#define WHO_WIDTH	14	/* run and process in front of them */
#define COLUMNS_MAX	1024

struct figure {
	const struct process *process;
	const struct rowset *rows;
	const struct log_column *column;
	struct series series;
	double limit;			/* NAN: none */
	char *line;
};

enum { FIGURE_PROGRAM, FIGURE_SET, FIGURE_COLUMN, FIGURE_KIND, FIGURE_LINE };

static struct value get_text(const struct column *column, const void *row)
{
	const struct figure *figure = row;
	const char *const texts[] = {
		[FIGURE_PROGRAM] = figure->process->header.program,
		[FIGURE_SET] = figure->rows->set,
		[FIGURE_COLUMN] = figure->column->name,
		[FIGURE_KIND] = figure->column->kind == LOG_CUMULATIVE ? "cumulative" : "gauge",
		[FIGURE_LINE] = figure->line,
	};

	return value_text(texts[column->index]);
}

enum {
	FIGURE_PID, FIGURE_ID, FIGURE_MIN, FIGURE_MEAN, FIGURE_PEAK, FIGURE_PEAK_TIME, FIGURE_LAST, FIGURE_LIMIT, FIGURE_SLOPE,
	FIGURE_SLOPE_ERROR,
	IF_GAUGE = 16, IF_RATE = 32,
};

static struct value id_cell(const struct rowset *rows)
{
	return rows->id ? value_integer(UNIT_NONE, rows->id) : value_empty();
}

static struct value get_number(const struct column *column, const void *row)
{
	const struct figure *figure = row;
	const struct series *series = &figure->series;
	bool is_rate = figure->column->kind == LOG_CUMULATIVE;

	if ((is_rate && (column->index & IF_GAUGE)) || (!is_rate && (column->index & IF_RATE)))
		return value_empty();
	switch (column->index & 15) {
	case FIGURE_PID:
		return value_integer(UNIT_NONE, figure->process->header.pid);
	case FIGURE_ID:
		return id_cell(figure->rows);
	case FIGURE_LIMIT:
		return value_real(series->unit, figure->limit);
	case FIGURE_SLOPE:
		return value_real(series_slope_unit(series->unit), series->slope);
	case FIGURE_SLOPE_ERROR:
		return value_real(series_slope_unit(series->unit), series->slope_error);
	case FIGURE_MIN:
		return value_real(series->unit, series->min);
	case FIGURE_MEAN:
		return value_real(series->unit, series->mean);
	case FIGURE_PEAK:
		return value_real(series->unit, series->peak);
	case FIGURE_PEAK_TIME:
		return isnan(series->peak) ? value_empty() : value_integer(UNIT_NS, series->peak_time);
	default:
		return value_real(series->last_unit, series->last);
	}
}

static struct value get_run(const struct column *column, const void *row)
{
	const struct process *process = ((const struct figure *)row)->process;

	return run_cell(process->model, process->run, column->index);
}

static const struct column figure_columns[] = {
	{ "pid", "Pid", 0, get_number, FIGURE_PID },
	{ "program", "Program", COLUMN_LEFT, get_text, FIGURE_PROGRAM },
	{ "set", "Set", COLUMN_LEFT, get_text, FIGURE_SET },
	{ "id", "Id", 0, get_number, FIGURE_ID },
	{ "column", "Column", COLUMN_LEFT, get_text, FIGURE_COLUMN },
	{ "kind", "Kind", COLUMN_LEFT, get_text, FIGURE_KIND },
	{ "min", "Min", COLUMN_SPARE, get_number, FIGURE_MIN | IF_GAUGE },
	{ "mean", "Mean", 0, get_number, FIGURE_MEAN | IF_GAUGE },
	{ "peak", "Peak", 0, get_number, FIGURE_PEAK | IF_GAUGE },
	{ "peak_time_ns", "Peak at", 0, get_number, FIGURE_PEAK_TIME },
	{ "last", "Last", 0, get_number, FIGURE_LAST | IF_GAUGE },
	{ "mean_rate", "Rate", 0, get_number, FIGURE_MEAN | IF_RATE },
	{ "peak_rate", "Peak rate", 0, get_number, FIGURE_PEAK | IF_RATE },
	{ "total", "Total", 0, get_number, FIGURE_LAST | IF_RATE },
	{ "mean_or_rate", "Mean", 0, get_number, FIGURE_MEAN },
	{ "peak_or_rate", "Peak", 0, get_number, FIGURE_PEAK },
	{ "last_or_total", "Last/total", COLUMN_SPARE, get_number, FIGURE_LAST },
	{ "limit", "Limit", COLUMN_SPARE, get_number, FIGURE_LIMIT },
	{ "slope_per_s", "Slope", COLUMN_SPARE, get_number, FIGURE_SLOPE | IF_GAUGE },
	{ "slope_error_per_s", "Error", COLUMN_SPARE, get_number, FIGURE_SLOPE_ERROR | IF_GAUGE },
	{ "run", "Run", COLUMN_LEFT, get_run, CELL_RUN },
	{ "run_number", "Run", 0, get_run, CELL_RUN_NUMBER },
	{ "curve", "Over time", COLUMN_LEFT, get_text, FIGURE_LINE },
};

struct reading {
	struct process *process;
	const struct rowset *rows;
	size_t row;
	const int *place;	/* [column of the table]: that of the set, -1: not in it */
};

enum { READING_TIME, READING_PID, READING_PROGRAM, READING_SET, READING_ID, READING_COLUMNS, READING_RUN = COLUMNS_MAX };

static struct value get_reading(const struct column *column, const void *row)
{
	const struct reading *reading = row;
	const struct log_column *of;
	uint64_t value;
	int place;

	switch (column->index) {
	case READING_TIME:
		return value_integer(UNIT_NS, process_time(reading->process, reading->rows->ticks[reading->row]));
	case READING_PID:
		return value_integer(UNIT_NONE, reading->process->header.pid);
	case READING_PROGRAM:
		return value_text(reading->process->header.program);
	case READING_SET:
		return value_text(reading->rows->set);
	case READING_ID:
		return id_cell(reading->rows);
	case READING_RUN:
		return run_cell(reading->process->model, reading->process->run, CELL_RUN);
	}
	place = reading->place[column->index - READING_COLUMNS];
	if (place < 0)
		return value_empty();
	of = &reading->rows->columns[place];
	value = rowset_value(reading->rows, reading->row, (uint32_t)place);
	if (value == LOG_NONE)
		return value_empty();
	return of->unit == LOG_UNIT_MILLI ? value_real(UNIT_NONE, series_value(of, value)) :
		value_integer(series_unit(of, false), (int64_t)value);
}

/* All sets of rows that are shown, and where their columns are among the table's. */
struct readings {
	struct document *document;
	struct reading *sets;		/* row: the next to give out */
	size_t nr_sets;
	struct column *columns;
	size_t nr_columns;
};

static bool next_reading(struct table *table, void *row)
{
	struct readings *readings = table->source;

	for (; table->at < readings->nr_sets; table->at++) {
		struct reading *set = &readings->sets[table->at];

		if (set->row < set->rows->nr_rows) {
			memcpy(row, set, sizeof(*set));
			set->row++;
			return true;
		}
		set->row = 0;
	}
	table->at = 0;
	return false;
}

/* A source that is not there has no column. */
static bool is_known(const struct rowset *rows, uint32_t column)
{
	for (size_t row = 0; row < rows->nr_rows; row++)
		if (rowset_value(rows, row, column) != LOG_NONE)
			return true;
	return false;
}

static void add_columns(struct readings *readings, const struct rowset *rows)
{
	for (uint32_t i = 0; i < rows->nr_columns; i++) {
		struct table so_far = { .columns = readings->columns, .nr_columns = readings->nr_columns };
		const char *name = rows->columns[i].name;

		if (readings->nr_columns == COLUMNS_MAX || table_find_column(&so_far, name, strlen(name)) ||
		    !is_known(rows, i))
			continue;
		readings->columns[readings->nr_columns] = (struct column){
			name, name, 0, get_reading, readings->nr_columns
		};
		readings->nr_columns++;
	}
}

/* Clock readings are not resources; "memory" is what "process" has, only more often, for single calls. */
static bool is_shown(const struct rowset *rows)
{
	return strcmp(rows->set, "clock") != 0 && strcmp(rows->set, "memory") != 0;
}

static void add_sets(struct readings *readings, struct process *process)
{
	const struct model *model = process->model;

	for (size_t i = 0; i < process->nr_rowsets; i++) {
		struct rowset *rows = &process->rowsets[i];

		if (!is_shown(rows))
			continue;
		if (model->from > 0 || model->to < model->end)
			rowset_clip(rows, process_ticks(process, model->from), process_ticks(process, model->to));
		add_columns(readings, rows);
		readings->sets[readings->nr_sets++] = (struct reading){ .process = process, .rows = rows };
	}
}

static void place_columns(struct readings *readings)
{
	for (size_t i = 0; i < readings->nr_sets; i++) {
		int *place = document_new(readings->document, (readings->nr_columns + 1) * sizeof(*place));

		for (size_t j = READING_COLUMNS; j < readings->nr_columns; j++)
			place[j - READING_COLUMNS] = rowset_column(readings->sets[i].rows, readings->columns[j].name);
		readings->sets[i].place = place;
	}
}

static size_t count_sets(const struct model *model)
{
	size_t nr = 0;

	for (size_t i = 0; i < model->nr_processes; i++)
		nr += model->processes[i]->nr_rowsets;
	for (size_t i = 0; i < model->nr_monitors; i++)
		nr += model->monitors[i]->nr_rowsets;
	return nr;
}

static struct readings *collect_readings(struct document *document, const struct model *model)
{
	static const struct column first[READING_COLUMNS] = {
		{ "time_ns", "Time", 0, get_reading, READING_TIME },
		{ "pid", "Pid", 0, get_reading, READING_PID },
		{ "program", "Program", COLUMN_LEFT, get_reading, READING_PROGRAM },
		{ "set", "Set", COLUMN_LEFT, get_reading, READING_SET },
		{ "id", "Id", 0, get_reading, READING_ID },
	};
	struct readings *readings = document_new(document, sizeof(*readings));

	readings->document = document;
	readings->sets = document_new(document, (count_sets(model) + 1) * sizeof(*readings->sets));
	readings->columns = document_new(document, (COLUMNS_MAX + 1) * sizeof(*readings->columns));
	memcpy(readings->columns, first, sizeof(first));
	readings->nr_columns = READING_COLUMNS;
	for (size_t i = 0; i < model->nr_processes; i++)
		add_sets(readings, model->processes[i]);
	for (size_t i = 0; i < model->nr_monitors; i++)
		add_sets(readings, model->monitors[i]);
	if (model->nr_runs > 1)
		readings->columns[readings->nr_columns++] = (struct column){ "run", "Run", COLUMN_LEFT, get_reading, READING_RUN };
	place_columns(readings);
	return readings;
}

static struct table *readings_table(struct document *document, struct readings *readings)
{
	struct table *table = document_new(document, sizeof(*table));

	*table = (struct table){
		.name = "rows",
		.columns = readings->columns,
		.nr_columns = readings->nr_columns,
		.row_bytes = sizeof(struct reading),
		.next = next_reading,
		.source = readings,
		.formats = IN_CSV | IN_JSON,
	};
	return table;
}

/* Of each thread and each processor there is too much for people. */
static bool is_for_people(const struct rowset *rows)
{
	return strcmp(rows->set, "thread") != 0 && strcmp(rows->set, "cores") != 0;
}

static size_t line_steps(bool has_pids)
{
	size_t beside = FIGURES_WIDTH + (has_pids ? WHO_WIDTH : 0);
	struct terminal terminal;

	terminal_init(&terminal, stdout);
	if (terminal.width < beside + STEPS_MIN)
		return STEPS_MIN;
	return terminal.width > beside + STEPS_MAX ? STEPS_MAX : terminal.width - beside;
}

static bool is_nothing(const struct series *series)
{
	return series->peak == 0 && series->last == 0;
}

static struct table *figures_table(struct document *document, const struct readings *readings, struct report *report)
{
	struct table *table = document_new(document, sizeof(*table));
	struct table_rows *rows = document_new(document, sizeof(*rows));
	bool text = strcmp(report->options->format, "text") == 0;
	struct resource_limits limits;
	struct figure *figures;
	bool has_pids = report->model->nr_processes + report->model->nr_monitors > 1;
	size_t nr = 1, nr_steps = line_steps(has_pids);

	for (size_t i = 0; i < readings->nr_sets; i++)
		nr += readings->sets[i].rows->nr_columns;
	resource_limits_read(&limits, report->model);
	rows->rows = figures = document_new(document, nr * sizeof(*figures));
	for (size_t i = 0; i < readings->nr_sets; i++) {
		const struct reading *set = &readings->sets[i];

		if (text && !is_for_people(set->rows))
			continue;
		for (uint32_t j = 0; j < set->rows->nr_columns; j++) {
			struct figure figure = { .process = set->process, .rows = set->rows,
						 .column = &set->rows->columns[j],
						 .limit = resource_limit_of(&limits, set->rows, j) };
			char *line;

			series_of_column(&figure.series, report->model, set->process, set->rows, j, nr_steps);
			line = sparkline_text(&figure.series.line, figure.series.peak);
			figure.line = document_text(document, "%s", line);
			free(line);
			series_release(&figure.series);
			if (figure.series.known && !(text && is_nothing(&figure.series)))
				figures[rows->nr_rows++] = figure;
		}
	}
	*table = (struct table){
		.name = "resources",
		.what = "figures",
		.title = report->title,
		.note = "what only grows: mean and peak per second, then the total; what stayed 0 is left out; more: -f csv",
		.columns = figure_columns,
		.nr_columns = sizeof(figure_columns) / sizeof(*figure_columns),
		.text_columns = has_pids ?
			"pid,column,mean_or_rate,peak_or_rate,limit,min,last_or_total,slope_per_s,curve" :
			"column,mean_or_rate,peak_or_rate,limit,min,last_or_total,slope_per_s,curve",
		.data_columns = "pid,program,set,id,column,kind,min,mean,peak,peak_time_ns,last,mean_rate,peak_rate,total,"
			"limit,slope_per_s,slope_error_per_s",
		.aside = !text,
		.row_bytes = sizeof(struct figure),
		.next = table_next_row,
		.source = rows,
		.formats = IN_TEXT | IN_JSON,
	};
	report_tell_runs(report, document, table);
	return table;
}

int view_resources(struct document *document, struct report *report)
{
	struct readings *readings;

	if (report_is_of_threads(report)) {
		error("--thread: resources are of whole processes (-v threads has what is known of each)");
		return EXIT_USAGE;
	}
	readings = collect_readings(document, report->model);

	document_add_table(document, figures_table(document, readings, report));
	document_add_table(document, readings_table(document, readings));
	report_name_runs(report, document);
	return 0;
}
