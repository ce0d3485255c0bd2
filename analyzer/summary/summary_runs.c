/* SPDX-License-Identifier: GPL-3.0-or-later */
/* First page of several runs: what each one was, and how much they differ. */
#include "analyzer/read/ends_read.h"
#include "analyzer/summary/summary.h"

#include <string.h>

#include "analyzer/cells/cells.h"

#define RUNS_SHOWN 12

struct run_row {
	const char *name;
	const struct process *ended;	/* NULL: nothing of the run is shown */
	int64_t begin, end;
	uint64_t calls;
	double functions_ns;
	uint64_t alloc_bytes;
	struct usage usage;		/* peak: of the largest process */
};

enum { RUN_LASTED, RUN_CPU, RUN_PEAK, RUN_FUNCTIONS, RUN_CALLS, RUN_ALLOC, RUN_NUMBERS };

static double number(const struct run_row *row, size_t which)
{
	const double numbers[RUN_NUMBERS] = {
		[RUN_LASTED] = (double)(row->end - row->begin),
		[RUN_CPU] = row->usage.cpu_ns,
		[RUN_PEAK] = row->usage.peak_rss_bytes,
		[RUN_FUNCTIONS] = row->functions_ns,
		[RUN_CALLS] = isnan(row->functions_ns) ? NAN : (double)row->calls,
		[RUN_ALLOC] = (double)row->alloc_bytes,
	};

	return row->ended ? numbers[which] : NAN;
}

static enum unit unit_of(size_t which)
{
	return which == RUN_CALLS			 ? UNIT_COUNT
	       : which == RUN_PEAK || which == RUN_ALLOC ? UNIT_BYTES
							 : UNIT_NS;
}

static struct value number_cell(size_t which, double of)
{
	if (unit_of(which) == UNIT_NS)
		return ns_cell(of);
	return isnan(of) ? value_empty() : value_integer(unit_of(which), (int64_t)of);
}

static struct value get_number(const struct column *column, const void *row)
{
	return number_cell(column->index, number(row, column->index));
}

enum { TEXT_RUN, TEXT_END };

static struct value get_text(const struct column *column, const void *row)
{
	static char text[256];
	const struct run_row *of = row;

	if (column->index == TEXT_RUN)
		return value_text(of->name);
	return value_text(of->ended ? process_end_text(of->ended, text, sizeof(text)) : "nothing to show");
}

static const struct column run_columns[] = {
	{ "duration_ns", "Lasted", 0, get_number, RUN_LASTED },
	{ "cpu_ns", "CPU", COLUMN_SUMS, get_number, RUN_CPU },
	{ "peak_rss_bytes", "Peak RSS", COLUMN_SPARE, get_number, RUN_PEAK },
	{ "functions_ns", "Functions", COLUMN_SUMS, get_number, RUN_FUNCTIONS },
	{ "calls", "Calls", COLUMN_SUMS, get_number, RUN_CALLS },
	{ "alloc_bytes", "Alloc", COLUMN_SUMS | COLUMN_SPARE, get_number, RUN_ALLOC },
	{ "end", "Ended", COLUMN_LEFT, get_text, TEXT_END },
	{ "run", "Run", COLUMN_LEFT | COLUMN_ROOM, get_text, TEXT_RUN },
};

/* Least, mean and most of one figure. */
struct figure_row {
	size_t which;
	double min, mean, max;
};

enum { FIGURE_NAME, FIGURE_MIN, FIGURE_MEAN, FIGURE_MAX };

static struct value get_figure(const struct column *column, const void *row)
{
	const struct figure_row *of = row;

	if (column->index == FIGURE_NAME)
		return value_text(run_columns[of->which].name);
	return number_cell(of->which, column->index == FIGURE_MIN    ? of->min
				      : column->index == FIGURE_MEAN ? of->mean
								     : of->max);
}

static const struct column figure_columns[] = {
	{ "figure", "Of a run", COLUMN_LEFT, get_figure, FIGURE_NAME },
	{ "mean", "Mean", 0, get_figure, FIGURE_MEAN },
	{ "min", "least", 0, get_figure, FIGURE_MIN },
	{ "max", "most", 0, get_figure, FIGURE_MAX },
};

static void add_member(struct run_row *row, const struct member *member)
{
	struct usage usage;

	if (!member->first)
		return;
	usage = member_usage(member);
	if (!row->ended) {
		row->ended = member->last;
		row->begin = member->begin;
		row->end = member->end;
		row->usage = usage;
	} else {
		usage_add(&row->usage, &usage);
	}
	row->end = member->end > row->end ? member->end : row->end;
	row->calls += member->calls;
	row->functions_ns += member->functions_ns;
	row->alloc_bytes += member->alloc_bytes;
}

static struct run_row *collect(struct document *document, const struct model *model)
{
	struct run_row *rows = document_new(document, model->nr_runs * sizeof(*rows));
	struct process_tree tree;

	process_tree_init(&tree, model);
	for (size_t i = 0; i < tree.nr; i++)
		add_member(&rows[tree.members[i].run], &tree.members[i]);
	for (uint32_t run = 0; run < model->nr_runs; run++) {
		rows[run].name = model->run_names[run];
		if (rows[run].ended)
			rows[run].ended = report_worst_end(&tree, run);
	}
	process_tree_release(&tree);
	return rows;
}

static void add_figures(struct document *document, const struct run_row *runs, size_t nr_runs)
{
	struct figure_row *rows = document_new(document, RUN_NUMBERS * sizeof(*rows));

	for (size_t i = 0; i < RUN_NUMBERS; i++) {
		size_t nr = 0;

		rows[i] = (struct figure_row){ i, NAN, 0, NAN };
		for (size_t k = 0; k < nr_runs; k++) {
			double of = number(&runs[k], i);

			if (isnan(of))
				continue;
			rows[i].min = fmin(rows[i].min, of);
			rows[i].max = fmax(rows[i].max, of);
			rows[i].mean += of;
			nr++;
		}
		rows[i].mean = nr ? rows[i].mean / (double)nr : NAN;
	}
	document_add_table(document, &(struct table){
		.name = "of_a_run",
		TABLE_COLUMNS(figure_columns),
		.aside = true,
		.rows = TABLE_ROWS(rows, RUN_NUMBERS),
	});
}

void summary_runs(struct document *document, const struct model *model)
{
	struct run_row *rows = collect(document, model);

	document_add(document, "Runs", document_text(document, "%zu, added up below", model->nr_runs))
		->apart = true;
	document_add_table(document, &(struct table){
		.name = "runs",
		TABLE_COLUMNS(run_columns),
		.text_top = RUNS_SHOWN,
		.aside = true,
		.rows = TABLE_ROWS(rows, model->nr_runs),
	});
	add_figures(document, rows, model->nr_runs);
}
