/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Resources: figures for each column of each process; and, in csv and json, the samples themselves. */
#include "analyzer/views/views.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/terminal.h"
#include "analyzer/cells/cells.h"
#include "analyzer/cells/readings.h"
#include "analyzer/resources/resource_limits.h"
#include "analyzer/resources/series.h"

#define STEPS_MIN	16
#define STEPS_MAX	40
#define FIGURES_WIDTH	50	/* least width of the figures beside a curve */
#define PID_WIDTH	14	/* width of run and process before the figures */
#define PROGRAM_WIDTH	12
#define PROCESSES_MAX	6	/* shown in text, unless the user wants more */

struct figure {
	struct process *process;
	const struct rowset *rows;
	const struct log_column *column;
	struct series series;
	double limit;			/* NAN: none */
	const char *set, *name, *kind;
	char *line;
};

enum {
	FIGURE_PID,
	FIGURE_ID,
	FIGURE_MIN,
	FIGURE_MEAN,
	FIGURE_PEAK,
	FIGURE_PEAK_TIME,
	FIGURE_LAST,
	FIGURE_LIMIT,
	FIGURE_SLOPE,
	FIGURE_SLOPE_ERROR,
	IF_GAUGE = 16,
	IF_RATE = 32,
};

static struct value get_number(const struct column *column, const void *row)
{
	const struct figure *figure = row;
	const struct series *series = &figure->series;
	bool is_rate = figure->column->kind == LOG_CUMULATIVE;

	if ((is_rate && (column->index & IF_GAUGE)) || (!is_rate && (column->index & IF_RATE)))
		return value_empty();
	switch (column->index & 15) {
	case FIGURE_PID:
		return rowset_pid_cell(figure->rows, figure->process);
	case FIGURE_ID:
		return rowset_id_cell(figure->rows);
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

static struct value get_program(const struct column *column, const void *row)
{
	const struct figure *figure = row;

	return rowset_program_cell(figure->rows, figure->process);
}

static struct value get_run(const struct column *column, const void *row)
{
	return who_cell(((const struct figure *)row)->process, NULL, column->index);
}

static const struct column figure_columns[] = {
	{ "pid", "Pid", 0, get_number, FIGURE_PID },
	{ "program", "Program", COLUMN_LEFT, get_program, 0 },
	{ "set", "Set", COLUMN_LEFT, MEMBER(struct figure, set, 0) },
	{ "id", "Id", 0, get_number, FIGURE_ID },
	{ "column", "Column", COLUMN_LEFT, MEMBER(struct figure, name, 0) },
	{ "kind", "Kind", COLUMN_LEFT, MEMBER(struct figure, kind, 0) },
	{ "min", "Min", COLUMN_SPARE, get_number, FIGURE_MIN | IF_GAUGE },
	{ "mean", "Mean", 0, get_number, FIGURE_MEAN | IF_GAUGE },
	{ "peak", "Peak", 0, get_number, FIGURE_PEAK | IF_GAUGE },
	{ "peak_time_ns", "Peak at", 0, get_number, FIGURE_PEAK_TIME },
	{ "last", "Last", 0, get_number, FIGURE_LAST | IF_GAUGE },
	{ "mean_rate", "Rate", 0, get_number, FIGURE_MEAN | IF_RATE },
	{ "peak_rate", "Peak rate", 0, get_number, FIGURE_PEAK | IF_RATE },
	{ "total", "Total", 0, get_number, FIGURE_LAST | IF_RATE },
	{ "limit", "Limit", COLUMN_SPARE, get_number, FIGURE_LIMIT },
	{ "slope_per_s", "Slope", COLUMN_SPARE, get_number, FIGURE_SLOPE | IF_GAUGE },
	{ "slope_error_per_s", "Error", COLUMN_SPARE, get_number, FIGURE_SLOPE_ERROR | IF_GAUGE },
	WHO_RUN_COLUMNS(get_run),
	{ "mean_or_rate", "Mean", COLUMN_TEXT, get_number, FIGURE_MEAN },
	{ "peak_or_rate", "Peak", COLUMN_TEXT, get_number, FIGURE_PEAK },
	{ "last_or_total", "Last/total", COLUMN_SPARE | COLUMN_TEXT, get_number, FIGURE_LAST },
	{ "curve", "Over time", COLUMN_LEFT | COLUMN_TEXT, MEMBER(struct figure, line, 0) },
};

/* Single threads and processors are too many for people. */
static bool is_for_people(const struct rowset *rows)
{
	return strcmp(rows->set, "thread") != 0 && strcmp(rows->set, "thread_off") != 0 &&
	       strcmp(rows->set, "cores") != 0;
}

/* How text distinguishes processes. */
enum shown_processes { SHOWN_NONE, SHOWN_PID, SHOWN_PROGRAM };

static enum shown_processes tell_apart(const struct model *model)
{
	const struct process *first = NULL;

	if (model->nr_processes + model->nr_monitors <= 1)
		return SHOWN_NONE;
	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct process *process = model->processes[i];

		if (!process->nr_rowsets)
			continue;
		if (first && (strcmp(process->header.program, first->header.program) != 0 ||
			      strcmp(process->header.host, first->header.host) != 0))
			return SHOWN_PROGRAM;
		first = process;
	}
	return SHOWN_PID;
}

static size_t line_steps(enum shown_processes who)
{
	size_t beside = FIGURES_WIDTH + (who == SHOWN_NONE ? 0 : PID_WIDTH) +
			(who == SHOWN_PROGRAM ? PROGRAM_WIDTH : 0);
	struct terminal terminal;

	terminal_init(&terminal, stdout);
	if (terminal.width < beside + STEPS_MIN)
		return STEPS_MIN;
	return terminal.width > beside + STEPS_MAX ? STEPS_MAX : terminal.width - beside;
}

/* A counter's peak is its highest rate: 0 if it grew before the first reading only. */
static bool is_nothing(const struct series *series)
{
	return series->peak == 0;
}

/* One reading makes no curve: it may be from the first moment of a long run. */
static char *curve(struct document *document, const struct figure *figure)
{
	char when[UNIT_TEXT_MAX], *line, *text;

	if (figure->series.nr_readings == 1)
		return document_text(document, "one reading, at %s",
				     unit_format(when, UNIT_NS, figure->series.last_time));
	line = sparkline_text(&figure->series.line, figure->series.peak);
	text = document_text(document, "%s", line);
	free(line);
	return text;
}

/* The processes that text shows: all, or the busiest. */
struct shown {
	struct process *processes[PROCESSES_MAX];
	size_t nr;
	bool all;
};

static void choose_processes(struct shown *shown, const struct report *report)
{
	const struct options *options = report->options;

	shown->all = strcmp(options->format, "text") != 0 || options->top_given ||
		     report->model->nr_processes <= PROCESSES_MAX;
	shown->nr =
		shown->all ? 0 : busiest_processes(report->model, "cpu_ns", shown->processes, PROCESSES_MAX);
}

static const char *figures_note(struct document *document, const struct shown *shown,
				const struct model *model)
{
	const char *note = "columns that only grow: mean and peak per second; columns that stayed 0 or did "
		"not grow are left out; more: -f csv";
	size_t nr_more = model->nr_processes - shown->nr;

	return shown->all ? note : document_text(document,
		"%s; %zu more process%s used less CPU time: --top 0",
						 note, nr_more, nr_more == 1 ? "" : "es");
}

#define TEXT_COLUMNS "column,mean_or_rate,peak_or_rate,limit,min,last_or_total,slope_per_s,curve"
static const char *const text_columns[] = {
	[SHOWN_NONE] = TEXT_COLUMNS,
	[SHOWN_PID] = "pid," TEXT_COLUMNS,
	[SHOWN_PROGRAM] = "pid,program," TEXT_COLUMNS,
};

struct figures {
	struct document *document;
	const struct report *report;
	struct resource_limits limits;
	size_t nr_steps;
	bool text;
	struct table_rows list;
};

static void add_set(struct figures *figures, const struct reading *set)
{
	if (figures->text && !is_for_people(set->rows))
		return;
	for (uint32_t i = 0; i < set->rows->nr_columns; i++) {
		const struct log_column *column = &set->rows->columns[i];
		struct figure figure = { .process = set->process,
					 .rows = set->rows,
					 .column = column,
					 .limit = resource_limit_of(&figures->limits, set->rows, i),
					 .set = set->rows->set,
					 .name = column->name,
					 .kind = column->kind == LOG_CUMULATIVE ? "cumulative" : "gauge" };

		series_of_column(&figure.series, figures->report->model, set->process, set->rows, i,
				 figures->nr_steps);
		figure.line = curve(figures->document, &figure);
		series_release(&figure.series);
		if (figure.series.known && !(figures->text && is_nothing(&figure.series)))
			document_add_row(figures->document, &figures->list, &figure);
	}
}

/* Rows that belong to no process, or were read from outside. */
static bool is_of_no_process(const struct model *model, const struct reading *set)
{
	for (size_t i = 0; i < model->nr_monitors; i++)
		if (model->monitors[i] == set->process)
			return true;
	return rowset_is_of_machine(set->rows);
}

/* @process: NULL for what belongs to none. */
static void add_process(struct figures *figures, const struct readings *readings,
			const struct process *process)
{
	for (size_t i = 0; i < readings->nr_sets; i++) {
		const struct reading *set = &readings->sets[i];

		if (is_of_no_process(figures->report->model, set) ? !process : process == set->process)
			add_set(figures, set);
	}
}

static void add_figures(struct figures *figures, const struct readings *readings, const struct shown *shown)
{
	for (size_t i = 0; shown->all && i < readings->nr_sets; i++)
		add_set(figures, &readings->sets[i]);
	for (size_t i = 0; i < shown->nr; i++)
		add_process(figures, readings, shown->processes[i]);
	if (!shown->all)
		add_process(figures, readings, NULL);
}

static void add_figures_table(struct document *document, const struct readings *readings,
			      struct report *report)
{
	enum shown_processes who = tell_apart(report->model);
	struct figures figures = { .document = document, .report = report, .nr_steps = line_steps(who),
				   .text = strcmp(report->options->format, "text") == 0,
				   .list = ROWS_OF(struct figure) };
	struct shown shown;

	resource_limits_read(&figures.limits, report->model);
	choose_processes(&shown, report);
	add_figures(&figures, readings, &shown);
	report_tell_runs(report, document, document_add_table(document, &(struct table){
		.name = "resources",
		.what = "figures",
		.title = report->title,
		.note = figures_note(document, &shown, report->model),
		.column_note = "; Last/total: the total of columns that only grow",
		.noted = "last_or_total",
		TABLE_COLUMNS(figure_columns),
		.text_columns = text_columns[who],
		.aside = !figures.text,
		.rows = figures.list,
		.formats = IN_TEXT | IN_JSON,
	}));
}

int view_resources(struct document *document, struct report *report)
{
	struct readings *readings;

	if (report_is_of_threads(report)) {
		error("--thread: resources are of whole processes (-v threads shows what is known of each "
			"thread)");
		return EXIT_USAGE;
	}
	readings = readings_collect(document, report->model);

	add_figures_table(document, readings, report);
	readings_add_table(document, readings);
	report_name_runs(report, document);
	return 0;
}
