/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who calls each function, and whom it calls: a row for each pair, grouped by function. */
#include "analyzer/views/views.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/cells/cells.h"
#include "analyzer/model/call_edges.h"

#define TEXT_EDGES 40

struct edge_row {
	const struct edge *edge;
	struct function *function;	/* whose callers or callees these are */
	struct function *other;		/* NULL: nothing that was recorded */
	bool first;			/* first row of its function */
	bool timed;
	bool is_sampled;
	const struct run_part *parts;	/* [nr_runs] */
	size_t nr_runs;
};

#define OF_OTHER 16

static struct value get_function(const struct column *column, const void *row)
{
	const struct edge_row *of = row;
	struct function *function = column->index & OF_OTHER ? of->other : of->function;

	return function ? function_cell(function, column->index & ~(size_t)OF_OTHER) : value_empty();
}

/* For people: name a function once, above all its rows. */
static struct value get_heading(const struct column *column, const void *row)
{
	const struct edge_row *of = row;

	(void)column;
	return of->first ? function_cell(of->function, CELL_NAME) : value_empty();
}

static struct value get_other(const struct column *column, const void *row)
{
	const struct edge_row *of = row;

	(void)column;
	return of->other ? function_cell(of->other, CELL_NAME) : value_text("(nothing recorded)");
}

static struct value get_stats(const struct column *column, const void *row)
{
	return stats_cell(&((const struct edge_row *)row)->edge->stats, column->index);
}

static struct value get_samples(const struct column *column, const void *row)
{
	const struct edge_row *of = row;

	return sample_cell(&of->edge->samples, of->function->samples.total_nr, of->function->samples.total_ns,
			   column->index);
}

/* As a share of the function's own number. */
static struct value get_share(const struct column *column, const void *row)
{
	const struct edge_row *of = row;
	struct value part = stats_cell(&of->edge->stats, column->index);
	struct value whole = stats_cell(&of->function->stats, column->index);

	return part.type == VALUE_EMPTY ? part : share_cell(value_number(part), value_number(whole));
}

/* With several runs: calls, self and total time of each. */
enum { PART_CALLS = 4, PART_SELF = 8, PART_TOTAL = 12 };

static struct value get_part(const struct column *column, const void *row)
{
	double (*const values[])(const struct run_part *) = { NULL, part_calls, part_self_ns, part_total_ns };
	const struct edge_row *of = row;
	bool is_count = (column->index & ~3u) == PART_CALLS;
	struct part_range range;

	if (of->nr_runs < 2 || call_stats_are_counted(&of->edge->stats) ||
	    (!is_count && (isnan(call_stats_mean_ns(&of->edge->stats)) || of->edge->stats.self_variance_ns2 > 0)))
		return value_empty();
	range = parts_range(of->parts, of->nr_runs, values[column->index / 4]);
	return part_cell(&range, (enum part_cell)(column->index & 3), is_count ? UNIT_COUNT : UNIT_NS);
}

#define EDGE_COLUMNS(other, title) \
	{ "function", "Function", COLUMN_NAME | COLUMN_LEFT | COLUMN_ROOM, get_function, CELL_NAME }, \
	{ "module", "Module", COLUMN_LEFT, get_function, CELL_MODULE }, \
	{ "file", "File", COLUMN_LEFT, get_function, CELL_FILE }, \
	{ "line", "Line", 0, get_function, CELL_LINE }, \
	{ other, title, COLUMN_NAME | COLUMN_LEFT | COLUMN_ROOM, get_function, CELL_NAME | OF_OTHER }, \
	{ other "_module", "Module", COLUMN_LEFT, get_function, CELL_MODULE | OF_OTHER }, \
	{ other "_file", "File", COLUMN_LEFT, get_function, CELL_FILE | OF_OTHER }, \
	{ other "_line", "Line", 0, get_function, CELL_LINE | OF_OTHER }, \
	{ "calls", "Calls", COLUMN_SUMS, get_stats, CELL_CALLS }, \
	{ "self_ns", "Self", COLUMN_SUMS, get_stats, CELL_SELF }, \
	{ "total_ns", "Total", 0, get_stats, CELL_TOTAL }, \
	{ "total_percent", "", 0, get_share, CELL_TOTAL }, \
	{ "mean_ns", "Mean", 0, get_stats, CELL_MEAN }, \
	{ "max_ns", "Max", 0, get_stats, CELL_MAX }, \
	{ "open_calls", "Open", COLUMN_SUMS, get_stats, CELL_OPEN_CALLS }, \
	{ "self_is_doubtful", "", 0, get_stats, CELL_SELF_DOUBTFUL }, \
	{ "total_is_doubtful", "", 0, get_stats, CELL_TOTAL_DOUBTFUL }, \
	{ "self_doubt_ns", COLUMN_ERROR, 0, get_stats, CELL_SELF_DOUBT }, \
	{ "total_doubt_ns", COLUMN_ERROR, 0, get_stats, CELL_TOTAL_DOUBT }, \
	{ "heading", "Function", COLUMN_NAME | COLUMN_LEFT | COLUMN_ROOM, get_heading, 0 }, \
	{ "other", title, COLUMN_NAME | COLUMN_LEFT | COLUMN_ROOM, get_other, 0 }, \
	{ "calls_run_min", "least", 0, get_part, PART_CALLS | CELL_PART_MIN }, \
	{ "calls_run_mean", "Calls/run", 0, get_part, PART_CALLS | CELL_PART_MEAN }, \
	{ "calls_run_max", "most", 0, get_part, PART_CALLS | CELL_PART_MAX }, \
	{ "self_run_min_ns", "least", COLUMN_SPARE, get_part, PART_SELF | CELL_PART_MIN }, \
	{ "self_run_mean_ns", "Self/run", COLUMN_SPARE, get_part, PART_SELF | CELL_PART_MEAN }, \
	{ "self_run_max_ns", "most", COLUMN_SPARE, get_part, PART_SELF | CELL_PART_MAX }, \
	{ "total_run_min_ns", "least", COLUMN_SPARE, get_part, PART_TOTAL | CELL_PART_MIN }, \
	{ "total_run_mean_ns", "Total/run", 0, get_part, PART_TOTAL | CELL_PART_MEAN }, \
	{ "total_run_max_ns", "most", COLUMN_SPARE, get_part, PART_TOTAL | CELL_PART_MAX }, \
	{ "samples", "Samples", COLUMN_SUMS, get_samples, CELL_SAMPLES_NR }, \
	{ "sampled_self_ns", "Self CPU", COLUMN_SUMS, get_samples, CELL_SAMPLES_SELF_NS }, \
	{ "sampled_total_ns", "CPU", 0, get_samples, CELL_SAMPLES_TOTAL_NS }, \
	{ "total_samples", "Samples", 0, get_samples, CELL_SAMPLES_TOTAL }, \
	{ "total_samples_percent", "", 0, get_samples, CELL_SAMPLES_TOTAL_PERCENT }

#define DATA_COLUMNS(other)                                                                                  \
	"function,module,file,line," other "," other "_module," other "_file," other "_line,"                \
	"calls,self_ns,total_ns,total_percent,mean_ns,max_ns,open_calls,"                                    \
	"self_is_doubtful,total_is_doubtful,self_doubt_ns,total_doubt_ns"
#define RUN_COLUMNS \
	",calls_run_min,calls_run_mean,calls_run_max,self_run_min_ns,self_run_mean_ns,self_run_max_ns,"      \
	"total_run_min_ns,total_run_mean_ns,total_run_max_ns"

#define SAMPLE_COLUMNS ",samples,sampled_self_ns,sampled_total_ns,total_samples,total_samples_percent"

static const struct column caller_columns[] = { EDGE_COLUMNS("caller", "Called by") };
static const struct column callee_columns[] = { EDGE_COLUMNS("callee", "Calls") };

static int largest_first(double a, double b)
{
	return (a < b) - (a > b);
}

/* Functions with most time first, or most calls; likewise the rows of a function. */
static int compare_rows(const void *a, const void *b)
{
	const struct edge_row *x = a, *y = b;
	int order = x->is_sampled
			    ? largest_first(x->function->samples.total_ns, y->function->samples.total_ns)
		    : x->timed ? largest_first(x->function->stats.total_ns, y->function->stats.total_ns)
			       : 0;

	if (order == 0)
		order = largest_first((double)x->function->stats.calls, (double)y->function->stats.calls);
	if (order == 0)
		order = strcmp(x->function->name, y->function->name);
	if (order == 0 && x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (order == 0 && x->is_sampled)
		order = largest_first(x->edge->samples.total_ns, y->edge->samples.total_ns);
	if (order == 0 && x->timed)
		order = largest_first(x->edge->stats.total_ns, y->edge->stats.total_ns);
	if (order == 0)
		order = largest_first((double)x->edge->stats.calls, (double)y->edge->stats.calls);
	return order ? order : (x->edge > y->edge) - (x->edge < y->edge);
}

static struct table_rows *list_rows(struct document *document, const struct report *report, bool callees)
{
	struct table_rows *rows = document_new(document, sizeof(*rows));
	const struct model *model = report->model;
	bool timed = report_has_times(report), grouped = !report->options->sort;
	struct edge_row *list;
	struct edges edges;

	edges_init(&edges, model);
	document_keep(document, edges.list);
	rows->rows = list = document_new(document, (edges.nr + 1) * sizeof(*list));
	for (size_t i = 0; i < edges.nr; i++) {
		struct edge *edge = &edges.list[i];

		if ((model->is_sampled ? !edge->samples.total_nr
				       : !edge->stats.calls && !call_stats_know_total(&edge->stats)) ||
		    (callees && !edge->caller))
			continue;
		list[rows->nr_rows++] = (struct edge_row){
			.edge = edge,
			.function = callees ? edge->caller : edge->function,
			.other = callees ? edge->function : edge->caller,
			.first = true,
			.timed = timed,
			.is_sampled = model->is_sampled,
			.parts = model->nr_parts > 1 ? parts_of_edge(model, edge->caller, edge->function)
						     : NULL,
			.nr_runs = model->nr_parts,
		};
	}
	qsort(list, rows->nr_rows, sizeof(*list), compare_rows);
	for (size_t i = 1; i < rows->nr_rows && grouped; i++)
		list[i].first = list[i].function != list[i - 1].function;
	return rows;
}

static const char *note_of(struct document *document, const struct report *report, bool callees)
{
	const char *note =
		report->model->is_sampled   ? document_text(document, SAMPLED_NOTE, report->model->samples.nr)
		: !report_has_times(report) ? NULL
		: callees
			? "self and total of what was called, while called so; % of the function's total"
			: "self and total of the function, while called so; % of its total over all callers";

	if (!report->model->nr_functions)
		return "none were recorded; insideme-report -v summary says why";
	if (report->model->nr_parts > 1)
		note = document_text(document,
				     "%s%ssums of %zu runs; /run: their mean; least and most: of "
				     "one run, 0 if it has none",
				     note ? note : "", note ? "; " : "", report->model->nr_parts);
	return note ? document_text(document, "%s%s%s", note,
				    report_has_counted(report)
					    ? "; ≈: counted functions; CPU samples and their first calls tell who called "
					      "them; calls are shown where samples met a single caller"
					    : "",
				    report_doubt_note(report))
		    : NULL;
}

static const char *text_columns(const struct report *report)
{
	if (report->model->is_sampled)
		return "sampled_total_ns,total_samples_percent,sampled_self_ns,heading,other";
	if (report->model->nr_parts > 1)
		return report_has_times(report)
			       ? "total_ns,total_percent,total_run_mean_ns,total_run_min_ns,total_run_max_ns,"
				 "self_ns,calls,heading,other"
			       : "calls,calls_run_mean,calls_run_min,calls_run_max,heading,other";
	return report_has_times(report) ? "total_ns,total_percent,self_ns,calls,heading,other"
					: "calls,heading,other";
}

static int build(struct document *document, struct report *report, bool callees)
{
	struct table *table = document_new(document, sizeof(*table));

	*table = (struct table){
		.name = callees ? "callees" : "callers",
		.title = report->title,
		.note = note_of(document, report, callees),
		.columns = callees ? callee_columns : caller_columns,
		.nr_columns = sizeof(caller_columns) / sizeof(*caller_columns),
		.text_columns = text_columns(report),
		.data_columns = document_text(document, "%s%s%s",
					      callees ? DATA_COLUMNS("callee") : DATA_COLUMNS("caller"),
					      report->model->nr_parts > 1 ? RUN_COLUMNS : "",
					      report->model->samples.nr ? SAMPLE_COLUMNS : ""),
		.weight = report->model->is_sampled  ? "sampled_total_ns"
			  : report_has_times(report) ? "total_ns"
						     : "calls",
		.text_top = TEXT_EDGES,
		.row_bytes = sizeof(struct edge_row),
		.next = table_next_row,
		.source = list_rows(document, report, callees),
		.formats = IN_TEXT | IN_CSV | IN_JSON,
	};
	document_add_table(document, table);
	return 0;
}

int view_callers(struct document *document, struct report *report)
{
	return build(document, report, false);
}

int view_callees(struct document *document, struct report *report)
{
	return build(document, report, true);
}
