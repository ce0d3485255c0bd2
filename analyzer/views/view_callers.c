/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The callers and callees of each function: a row for each pair, grouped by function. */
#include "analyzer/views/views.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/cells/cells.h"
#include "analyzer/model/call_edges.h"
#include "analyzer/read/counted_read.h"

#define TEXT_EDGES 40

struct edge_row {
	struct facts facts; /* the function whose callers or callees these are; the calls of the edge */
	const struct edge *edge;
	struct function *other;		/* NULL: nothing that was recorded */
	bool first;			/* first row of its function */
	bool timed;
	bool is_sampled;
	const struct run_part *parts;	/* [nr_runs] */
	size_t nr_runs;
};

static struct value get_other(const struct column *column, const void *row)
{
	struct function *other = ((const struct edge_row *)row)->other;

	return other ? function_cell(other, column->index) : value_empty();
}

/* For people: name a function once, above all its rows. */
static struct value get_heading(const struct column *column, const void *row)
{
	const struct edge_row *of = row;

	return of->first ? function_cell(of->facts.function, CELL_NAME) : value_empty();
}

static struct value get_other_name(const struct column *column, const void *row)
{
	struct value name = get_other(column, row);

	return name.type == VALUE_EMPTY ? value_text("(nothing recorded)") : name;
}

static struct value get_part(const struct column *column, const void *row)
{
	const struct edge_row *of = row;

	if (of->nr_runs < 2 || call_stats_are_counted(&of->facts.stats))
		return value_empty();
	return runs_cell(&of->facts.stats,
			 parts_range(of->parts, sizeof(*of->parts), column->index / PART_CELLS, of->nr_runs),
			 of->nr_runs, column->index);
}

static struct value get_nested(const struct column *column, const void *row)
{
	const struct edge_row *of = row;

	return nested_cell(&of->facts.stats, of->edge->primitive_calls, column->index);
}

#define EDGE_COLUMNS(other, title) \
	{ "function", "Function", COLUMN_FUNCTION, facts_function, CELL_NAME }, \
	FACTS_SOURCE, \
	{ other, title, COLUMN_FUNCTION, get_other, CELL_NAME }, \
	{ other "_module", "Module", COLUMN_LEFT, get_other, CELL_MODULE }, \
	{ other "_file", "File", COLUMN_LEFT, get_other, CELL_FILE }, \
	{ other "_line", "Line", 0, get_other, CELL_LINE }, \
	{ "calls", "Calls", COLUMN_SUMS, get_nested, CELL_NESTED_CALLS }, \
	{ "primitive_calls", "Primitive", COLUMN_SUMS, get_nested, CELL_PRIMITIVE_CALLS }, \
	{ "self_ns", "Self", COLUMN_SUMS, facts_stats, CELL_SELF }, \
	{ "total_ns", "Total", 0, facts_stats, CELL_TOTAL }, \
	{ "total_percent", "", 0, facts_share, CELL_TOTAL }, \
	{ "mean_ns", "Mean", 0, facts_stats, CELL_MEAN }, \
	{ "max_ns", "Max", 0, facts_stats, CELL_MAX }, \
	{ "open_calls", "Open", COLUMN_SUMS, facts_stats, CELL_OPEN_CALLS }, \
	FACTS_DOUBTS, \
	{ "heading", "Function", COLUMN_FUNCTION | COLUMN_TEXT, get_heading, 0 }, \
	{ "other", title, COLUMN_FUNCTION | COLUMN_TEXT, get_other_name, CELL_NAME }, \
	RUNS_COLUMNS(get_part, 0), \
	{ "samples", "Samples", COLUMN_SUMS | COLUMN_SAMPLED, facts_samples, CELL_SAMPLES_NR }, \
	{ "sampled_self_ns", "Self CPU", COLUMN_SUMS | COLUMN_SAMPLED, facts_samples, \
	  CELL_SAMPLES_SELF_NS }, \
	{ "sampled_total_ns", "CPU", COLUMN_SAMPLED, facts_samples, CELL_SAMPLES_TOTAL_NS }, \
	{ "total_samples", "Samples", COLUMN_SAMPLED, facts_samples, CELL_SAMPLES_TOTAL }, \
	{ "total_samples_percent", "", COLUMN_SAMPLED, facts_samples, CELL_SAMPLES_TOTAL_PERCENT }

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
	int order = x->is_sampled ? largest_first(x->facts.function->samples.total_ns,
						  y->facts.function->samples.total_ns)
		    : x->timed	  ? largest_first(x->facts.function->stats.total_ns,
						  y->facts.function->stats.total_ns)
				  : 0;

	if (order == 0)
		order = largest_first((double)x->facts.function->stats.calls,
				      (double)y->facts.function->stats.calls);
	if (order == 0)
		order = strcmp(x->facts.function->name, y->facts.function->name);
	if (order == 0 && x->facts.function != y->facts.function)
		return x->facts.function < y->facts.function ? -1 : 1;
	if (order == 0 && x->is_sampled)
		order = largest_first(x->edge->samples.total_ns, y->edge->samples.total_ns);
	if (order == 0 && x->timed)
		order = largest_first(x->edge->stats.total_ns, y->edge->stats.total_ns);
	if (order == 0)
		order = largest_first((double)x->edge->stats.calls, (double)y->edge->stats.calls);
	return order ? order : (x->edge > y->edge) - (x->edge < y->edge);
}

static struct table_rows list_rows(struct document *document, const struct report *report, bool callees)
{
	struct table_rows rows = ROWS_OF(struct edge_row);
	const struct model *model = report->model;
	bool timed = report_has_times(report), grouped = !report->options->sort;
	struct edge_row *list;
	struct edges edges;

	counted_callers_read(report->model);
	edges_init(&edges, model);
	document_keep(document, edges.list);
	for (size_t i = 0; i < edges.nr; i++) {
		struct edge *edge = &edges.list[i];
		struct function *function = callees ? edge->caller : edge->function;

		if ((model->is_sampled ? !edge->samples.total_nr
				       : !edge->stats.calls && !call_stats_know_total(&edge->stats)) ||
		    !function)
			continue;
		document_add_row(document, &rows, &(struct edge_row){
			.facts = {
				.function = function,
				.stats = edge->stats,
				.samples = &edge->samples,
				.nr_samples = function->samples.total_nr,
				.samples_ns = function->samples.total_ns,
				.whole_ns = value_number(stats_cell(&function->stats, CELL_TOTAL)),
			},
			.edge = edge,
			.other = callees ? edge->function : edge->caller,
			.first = true,
			.timed = timed,
			.is_sampled = model->is_sampled,
			.parts = model->nr_parts > 1 ? parts_of_edge(model, edge->caller, edge->function)
						     : NULL,
			.nr_runs = model->nr_parts,
		});
	}
	table_rows_sort(&rows, compare_rows);
	list = (struct edge_row *)rows.list;
	for (size_t i = 1; i < rows.nr && grouped; i++)
		list[i].first = list[i].facts.function != list[i - 1].facts.function;
	return rows;
}

static const char *note_of(struct document *document, const struct report *report, bool callees)
{
	const char *note =
		report->model->is_sampled   ? report_sampled_note(document, report)
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
	return note ? document_text(document, "%s%s%s%s", note, report_nested_note(report),
				    report_has_counted(report)
					    ? "; ≈: counted functions, whose callers are known from CPU "
					      "samples, first calls and inlined copies; calls are shown if "
					      "all copies were inlined, or samples met a single caller"
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
	document_add_table(document, &(struct table){
		.name = callees ? "callees" : "callers",
		.title = report->title,
		.note = note_of(document, report, callees),
		.columns = callees ? callee_columns : caller_columns,
		.nr_columns = sizeof(caller_columns) / sizeof(*caller_columns),
		.text_columns = text_columns(report),
		.data_also = report_data_also(report),
		.weight = report->model->is_sampled  ? "sampled_total_ns"
			  : report_has_times(report) ? "total_ns"
						     : "calls",
		.text_top = TEXT_EDGES,
		.rows = list_rows(document, report, callees),
	});
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
