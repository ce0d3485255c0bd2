/* SPDX-License-Identifier: GPL-3.0-or-later */
/* First page: CPU, memory and I/O as curves over the run. */
#include "analyzer/summary/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/terminal.h"
#include "analyzer/resources/resource_limits.h"
#include "analyzer/resources/series.h"

#define STEPS_MIN	12
#define STEPS_MAX	48
#define FIGURES_WIDTH	47	/* width of the figures beside a curve */
#define RESOURCE_COLUMNS 5

/* Figures of the set "process" on the page, added up over the processes. */
struct resource {
	const char *title;
	const char *column;
	bool hide_if_none;		/* leave the line out if it is 0 throughout */
};

static const struct resource resources[] = {
	{ "CPU", "cpu_ns", false },
	{ "RSS", "rss_bytes", false },
	{ "heap", "heap_bytes", false },
	{ "disk read", "read_bytes", true },
	{ "disk write", "write_bytes", true },
};
#define NR_RESOURCES (sizeof(resources) / sizeof(*resources))

/* Columns of the set "system", for runs without processes: insideme-run --machine. */
static const struct resource of_machine[] = {
	{ "CPU", "system_cpu_busy_ns", false },
	{ "memory", "memory_used_bytes", false },
	{ "swap", "swap_used_bytes", true },
	{ "disk read", "disk_read_bytes", true },
	{ "disk write", "disk_written_bytes", true },
};
_Static_assert(sizeof(of_machine) == sizeof(resources), "rows have room for either");

struct resource_row {
	const char *title;
	struct series series;
	double limit;			/* NAN: not known */
	char *line;
};

static struct value get_number(const struct column *column, const void *row)
{
	const struct resource_row *of = row;

	return value_real(of->series.unit, *(const double *)((const char *)row + column->index));
}

/*
 * The kernel counts pages of the log as written by the program that touched them. Whether these may be all
 * that was written. What write() was given says nothing: it may have gone to a pipe or /dev/null.
 */
static bool is_only_the_log(const struct model *model, const struct resource *resource,
			    const struct series *written)
{
	return strcmp(resource->column, "write_bytes") == 0 && written->last <= (double)model->log_bytes;
}

/*
 * RSS and heap may have been higher between two samples: all processes together had at least the peak of
 * each.
 */
static void raise_peak(const struct model *model, const char *column, struct series *series)
{
	bool is_rss = strcmp(column, "rss_bytes") == 0, is_heap = strcmp(column, "heap_bytes") == 0;

	for (size_t i = 0; i < model->nr_processes && (is_rss || is_heap); i++) {
		const struct process *process = model->processes[i];
		uint64_t peak = is_rss ? process->peak_rss_bytes : process->heap_peak_bytes;

		if (peak != LOG_NONE && (double)peak > series->peak)
			series->peak = (double)peak;
	}
}

/* Curves take the room that the terminal leaves. */
static size_t line_steps(void)
{
	struct terminal terminal;

	terminal_init(&terminal, stdout);
	if (terminal.width < FIGURES_WIDTH + STEPS_MIN)
		return STEPS_MIN;
	return terminal.width > FIGURES_WIDTH + STEPS_MAX ? STEPS_MAX : terminal.width - FIGURES_WIDTH;
}

static void read_machine(struct series *series, const struct model *model, const char *name, size_t nr_steps)
{
	struct process *monitor = model->nr_monitors ? model->monitors[0] : NULL;
	const struct rowset *rows = monitor ? process_rowset(monitor, "system") : NULL;
	int column = rows ? rowset_column(rows, name) : -1;

	*series = (struct series){ .known = false };
	if (column >= 0 && !model->nr_unseen)
		series_of_column(series, model, monitor, rows, (uint32_t)column, nr_steps);
}

/* Of all processes, or of the machine where insideme-run sampled that alone. */
static void read_series(struct series *series, const struct model *model, const struct resource *list,
			size_t nr_steps)
{
	const char *names[NR_RESOURCES];

	for (size_t i = 0; i < NR_RESOURCES; i++)
		names[i] = list[i].column;
	if (model->nr_processes)
		series_of_columns(series, model, "process", &(struct series_columns){ names, NR_RESOURCES },
				  nr_steps);
	for (size_t i = 0; i < NR_RESOURCES; i++) {
		if (model->nr_processes)
			raise_peak(model, names[i], &series[i]);
		else
			read_machine(&series[i], model, names[i], nr_steps);
	}
}

static size_t fill_rows(struct document *document, const struct model *model,
			const struct resource_limits *limits, struct resource_row *rows, size_t nr_steps)
{
	const struct resource *list = model->nr_processes ? resources : of_machine;
	struct series series[NR_RESOURCES];
	size_t nr = 0;

	read_series(series, model, list, nr_steps);
	for (size_t i = 0; i < NR_RESOURCES; i++) {
		struct resource_row *row = &rows[nr];
		char *line;

		row->series = series[i];
		if (row->series.known && !(list[i].hide_if_none && !(row->series.peak > 0)) &&
		    !is_only_the_log(model, &list[i], &row->series)) {
			line = sparkline_text(&row->series.line, row->series.peak);
			row->line = document_text(document, "%s", line);
			row->title = list[i].title;
			row->limit = strcmp(row->title, "heap") == 0 ? NAN :
				resource_limit(limits, list[i].column);
			free(line);
			nr++;
		}
		series_release(&series[i]);
	}
	return nr;
}

/* The start and the end of the run stand above the curves. */
static struct column *columns_of(struct document *document, const struct model *model,
				 const struct resource_limits *limits, size_t nr_steps)
{
	static const struct column columns[RESOURCE_COLUMNS] = {
		{ "resource", "", COLUMN_LEFT, MEMBER(struct resource_row, title, 0) },
		{ "mean", "mean", 0, get_number, offsetof(struct resource_row, series.mean) },
		{ "peak", "peak", 0, get_number, offsetof(struct resource_row, series.peak) },
		{ "machine", "machine", 0, get_number, offsetof(struct resource_row, limit) },
		{ "curve", "", COLUMN_LEFT | COLUMN_TEXT, MEMBER(struct resource_row, line, 0) },
	};
	struct column *copy = document_new(document, sizeof(columns));
	char end[UNIT_TEXT_MAX];

	memcpy(copy, columns, sizeof(columns));
	if (resource_is_limited(&limits->cpus) || resource_is_limited(&limits->memory_bytes))
		copy[RESOURCE_COLUMNS - 2].title = "limit";
	unit_format(end, UNIT_NS, model->end);
	copy[RESOURCE_COLUMNS - 1].title = document_text(document, "0 s%*s", (int)nr_steps - 3, end);
	return copy;
}

void summary_resources(struct document *document, struct report *report)
{
	struct resource_row *list = document_new(document, sizeof(*list) * NR_RESOURCES);
	struct resource_limits limits;
	size_t nr_steps = line_steps(), nr;

	resource_limits_read(&limits, report->model);
	nr = fill_rows(document, report->model, &limits, list, nr_steps);
	if (!nr)
		return;
	document_add_table(document, &(struct table){
		.name = "resources",
		.columns = columns_of(document, report->model, &limits, nr_steps),
		.nr_columns = RESOURCE_COLUMNS,
		.aside = true,
		.rows = TABLE_ROWS(list, nr),
		.apart = true,
	});
}
