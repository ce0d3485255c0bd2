/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The call graph for graphviz, with the thresholds, labels and colours that gprof2dot has. Edges are exact,
 * not estimated from totals; functions that call each other in a circle are marked as a cycle. If the
 * file's name is that of a picture, graphviz draws it.
 */
#include "analyzer/formats/export.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/formats/dot.h"
#include "analyzer/model/call_edges.h"
#include "analyzer/read/counted_read.h"
#include "analyzer/model/selector.h"
#include "analyzer/model/tree.h"

#define NODE_PERCENT	0.5	/* as gprof2dot: less is not drawn */
#define EDGE_PERCENT	0.1

/* --colormap: gprof2dot's, as hue, saturation and lightness of what takes nothing, and of what takes all. */
struct theme {
	const char *name;
	double cold[3], hot[3];
	double pen_min, pen_max, font_min, font_max;
	const char *font;		/* its color in nodes; NULL: they are not filled, and it is theirs */
};

static const struct theme themes[] = {
	{ "color", { 2.0 / 3, 0.8, 0.25 }, { 0, 1, 0.5 }, 0.5, 4, 10, 10, "#ffffff" },
	{ "pink", { 0, 1, 0.9 }, { 0, 1, 0.5 }, 0.5, 4, 10, 10, "#ffffff" },
	{ "gray", { 0, 0, 0.85 }, { 0, 0, 0 }, 0.5, 4, 10, 10, "#ffffff" },
	{ "bw", { 0, 0, 0 }, { 0, 0, 0 }, 0.1, 8, 8, 24, "#ffffff" },
	{ "print", { 0, 0, 0 }, { 0, 0, 0 }, 0.1, 8, 18, 30, NULL },
};
#define NR_THEMES (sizeof(themes) / sizeof(*themes))

/* --columns: the lines of a node below its name. */
enum label {
	LABEL_TOTAL_PERCENT, LABEL_SELF_PERCENT, LABEL_CALLS, LABEL_TOTAL, LABEL_SELF, LABEL_ALLOC, NR_LABELS,
};

static const char *const label_names[] = {
	"total_percent", "self_percent", "calls", "total_ns", "self_ns", "alloc_bytes",
};

enum measure { BY_TIME, BY_SAMPLES, BY_CALLS };

struct graph {
	FILE *out;
	const struct report *report;
	enum measure measure;
	double all;			/* what 100 % is */
	bool has_doubts;
	double least_node, least_edge;	/* parts of it */
	const struct theme *theme;
	enum label labels[NR_LABELS];
	size_t nr_labels;
	bool *reaches;			/* [number of a function]: see mark_reached(); NULL: all */
	struct edges edges;
	uint32_t *first_edge;		/* [number of a function + 1]: edges of callers are together */
	uint32_t *cycle;		/* [number of a function]: from 1 on; 0: in none */
};

static double total_of(const struct graph *graph, const struct call_stats *stats,
		       const struct sample_stats *samples)
{
	const double totals[] = { stats->total_ns, samples->total_ns, (double)stats->calls };

	return graph->all > 0 ? fmin(fmax(totals[graph->measure], 0) / graph->all, 1) : 0;
}

static double self_of(const struct graph *graph, const struct function *function)
{
	const double selfs[] = { function->stats.self_ns, function->samples.ns,
				 (double)function->stats.calls };

	return graph->all > 0 ? fmin(fmax(selfs[graph->measure], 0) / graph->all, 1) : 0;
}

static bool is_shown(const struct graph *graph, struct function *function)
{
	const char *pattern = graph->report->options->match;

	return total_of(graph, &function->stats, &function->samples) >= graph->least_node &&
	       (graph->reaches ? graph->reaches[function->number]
			       : !pattern || selector_matches(pattern, function));
}

/* ---- cycles ---- */

static int by_caller(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;
	uint32_t left = x->caller ? x->caller->number + 1 : 0, right = y->caller ? y->caller->number + 1 : 0;

	if (left != right)
		return left < right ? -1 : 1;
	return (x->function->number > y->function->number) - (x->function->number < y->function->number);
}

/* Tarjan's strongly connected components (1972), without recursion. */
struct search {
	uint32_t *index, *low, *next, *stack, *way;	/* [number of a function]; index 0: not seen */
	bool *is_on_stack;
	size_t nr_stack, nr_way;
	uint32_t nr_seen, nr_cycles;
};

static void enter(const struct graph *graph, struct search *search, uint32_t function)
{
	search->index[function] = search->low[function] = ++search->nr_seen;
	search->next[function] = graph->first_edge[function];
	search->stack[search->nr_stack++] = function;
	search->is_on_stack[function] = true;
	search->way[search->nr_way++] = function;
}

/* @function is the first one of a component: those above it on the stack are the others. */
static void close_component(const struct graph *graph, struct search *search, uint32_t function)
{
	bool is_cycle = search->stack[search->nr_stack - 1] != function;
	uint32_t top;

	search->nr_cycles += is_cycle;
	do {
		top = search->stack[--search->nr_stack];
		search->is_on_stack[top] = false;
		graph->cycle[top] = is_cycle ? search->nr_cycles : 0;
	} while (top != function);
}

static void search_from(const struct graph *graph, struct search *search, uint32_t first)
{
	enter(graph, search, first);
	while (search->nr_way) {
		uint32_t at = search->way[search->nr_way - 1];

		if (search->next[at] < graph->first_edge[at + 1]) {
			uint32_t callee = graph->edges.list[search->next[at]++].function->number;

			if (!search->index[callee])
				enter(graph, search, callee);
			else if (search->is_on_stack[callee] && search->index[callee] < search->low[at])
				search->low[at] = search->index[callee];
			continue;
		}
		if (search->low[at] == search->index[at])
			close_component(graph, search, at);
		if (--search->nr_way && search->low[at] < search->low[search->way[search->nr_way - 1]])
			search->low[search->way[search->nr_way - 1]] = search->low[at];
	}
}

static void find_cycles(struct graph *graph, size_t nr)
{
	uint32_t *numbers = xcalloc(5 * nr + 1, sizeof(*numbers));
	struct search search = {
		.index = numbers, .low = numbers + nr, .next = numbers + 2 * nr, .stack = numbers + 3 * nr,
		.way = numbers + 4 * nr, .is_on_stack = xcalloc(nr, sizeof(bool)),
	};
	size_t edge = 0;

	if (graph->edges.nr)
		qsort(graph->edges.list, graph->edges.nr, sizeof(*graph->edges.list), by_caller);
	for (uint32_t i = 0; i <= nr; i++) {
		while (edge < graph->edges.nr &&
		       (!graph->edges.list[edge].caller || graph->edges.list[edge].caller->number < i))
			edge++;
		graph->first_edge[i] = (uint32_t)edge;
	}
	for (uint32_t i = 0; i < nr; i++)
		if (!search.index[i])
			search_from(graph, &search, i);
	free(numbers);
	free(search.is_on_stack);
}

/* -v callers --match: the ways that lead to these functions; -v callees: all that they lead to. */
static void mark_reached(struct graph *graph, size_t nr)
{
	const struct options *options = graph->report->options;
	const struct model *model = graph->report->model;
	const bool up = strcmp(options->view, "callers") == 0;
	bool is_new = options->match && (up || strcmp(options->view, "callees") == 0);

	if (!is_new)
		return;
	graph->reaches = xcalloc(nr, sizeof(bool));
	for (size_t i = 0; i < model->nr_functions; i++)
		graph->reaches[model->functions[i]->number] =
			selector_matches(options->match, model->functions[i]);
	while (is_new) {
		is_new = false;
		for (size_t i = 0; i < graph->edges.nr; i++) {
			const struct edge *edge = &graph->edges.list[i];
			const struct function *from = up ? edge->function : edge->caller;
			const struct function *to = up ? edge->caller : edge->function;

			if (from && to && graph->reaches[from->number] && !graph->reaches[to->number])
				graph->reaches[to->number] = is_new = true;
		}
	}
}

/* ---- drawing ---- */

static void write_color(const struct graph *graph, double part)
{
	const double *cold = graph->theme->cold, *hot = graph->theme->hot;
	double mixed[3];

	for (size_t i = 0; i < 3; i++)
		mixed[i] = cold[i] + (hot[i] - cold[i]) * part;
	dot_color(graph->out, mixed[0], mixed[1], mixed[2]);
}

static double between(double least, double most, double part)
{
	return fmax(least, most * part);
}

static void write_value(FILE *out, enum unit unit, double value)
{
	char text[UNIT_TEXT_MAX];

	fprintf(out, "\\n%s", unit_format(text, unit, fmax(value, 0)));
}

static void write_line(const struct graph *graph, const struct function *function, enum label label)
{
	const double total = total_of(graph, &function->stats, &function->samples),
		     self = self_of(graph, function);
	FILE *out = graph->out;

	if (label == LABEL_CALLS)
		fprintf(out, "\\n%" PRIu64 "\303\227",
			graph->measure == BY_SAMPLES ? function->samples.total_nr : function->stats.calls);
	else if (label == LABEL_ALLOC)
		write_value(out, UNIT_BYTES, (double)function->heap.alloc_bytes);
	else if (graph->measure == BY_CALLS)
		return;
	else if (label == LABEL_TOTAL_PERCENT)
		fprintf(out, "\\n%.2f%%", 100 * total);
	else if (label == LABEL_SELF_PERCENT)
		fprintf(out, "\\n(%.2f%%)", 100 * self);
	else
		write_value(out, UNIT_NS, (label == LABEL_TOTAL ? total : self) * graph->all);
}

static void write_node(const struct graph *graph, const struct function *function)
{
	double total = total_of(graph, &function->stats, &function->samples);
	const struct theme *theme = graph->theme;
	FILE *out = graph->out;

	fprintf(out, "\tf%u [color=", function->number);
	write_color(graph, total);
	fputs(", fontcolor=", out);
	if (theme->font)
		fprintf(out, "\"%s\"", theme->font);
	else
		write_color(graph, total);
	fprintf(out, ", fontsize=\"%.2f\", label=\"", between(theme->font_min, theme->font_max, total));
	dot_text(out, export_name(function));
	for (size_t i = 0; i < graph->nr_labels; i++)
		write_line(graph, function, graph->labels[i]);
	if (graph->cycle[function->number])
		fprintf(out, "\\ncycle %u", graph->cycle[function->number]);
	fputs("\", ", out);
	dot_tooltip(out, function);
	fputs("];\n", out);
}

static void write_edge(const struct graph *graph, const struct edge *edge)
{
	double total = total_of(graph, &edge->stats, &edge->samples);
	const struct theme *theme = graph->theme;
	double width = between(theme->pen_min, theme->pen_max, total);
	bool in_cycle = graph->cycle[edge->caller->number] &&
			graph->cycle[edge->caller->number] == graph->cycle[edge->function->number];
	FILE *out = graph->out;

	fprintf(out, "\tf%u -> f%u [color=", edge->caller->number, edge->function->number);
	write_color(graph, total);
	fputs(", fontcolor=", out);
	write_color(graph, total);
	fprintf(out,
		", arrowsize=\"%.2f\", fontsize=\"%.2f\", penwidth=\"%.2f\", "
		"labeldistance=\"%.2f\"%s, label=\"",
		0.5 * sqrt(width), between(theme->font_min, theme->font_max, total), width, width,
		in_cycle ? ", style=dashed" : "");
	if (graph->measure != BY_CALLS)
		fprintf(out, "%.2f%%\\n", 100 * total);
	fprintf(out, "%" PRIu64 "\303\227\"];\n",
		graph->measure == BY_SAMPLES ? edge->samples.total_nr : edge->stats.calls);
}

/* At the bottom of the picture. */
static void write_doubt(void *of, const char *text)
{
	struct graph *graph = of;

	fputs(graph->has_doubts ? "\\l" : "\tgraph [labelloc=b, labeljust=l, label=\"", graph->out);
	graph->has_doubts = true;
	dot_text(graph->out, text);
}

static void write_graph(void *of, FILE *out)
{
	struct graph *graph = of;
	const struct model *model = graph->report->model;

	graph->out = out;
	fprintf(out, "digraph {\n"
		"\tgraph [fontname=Arial, nodesep=0.125, ranksep=0.25];\n"
		"\tnode [fontcolor=white, fontname=Arial, height=0, shape=box, style=%s, width=0];\n"
		"\tedge [fontname=Arial];\n", graph->theme->font ? "filled" : "solid");
	export_doubts(model, write_doubt, graph);
	fputs(graph->has_doubts ? "\\l\"];\n" : "", out);
	for (size_t i = 0; i < model->nr_functions; i++)
		if (is_shown(graph, model->functions[i]))
			write_node(graph, model->functions[i]);
	for (size_t i = 0; i < graph->edges.nr; i++) {
		const struct edge *edge = &graph->edges.list[i];

		if (edge->caller && is_shown(graph, edge->caller) && is_shown(graph, edge->function) &&
		    total_of(graph, &edge->stats, &edge->samples) >= graph->least_edge)
			write_edge(graph, edge);
	}
	fputs("}\n", out);
}

/* ---- what was asked for ---- */

static const struct theme *theme_asked(const struct options *options)
{
	for (size_t i = 0; i < NR_THEMES; i++)
		if (!options->colormap || strcmp(options->colormap, themes[i].name) == 0)
			return &themes[i];
	error("--colormap: '%s' is not color, pink, gray, bw or print", options->colormap);
	return NULL;
}

/* Of --columns, separated by commas. Return: false after an error() */
static bool read_labels(struct graph *graph, const char *list)
{
	static const char *const otherwise = "total_percent,self_percent,calls";
	size_t length;

	for (list = list ?: otherwise; graph->nr_labels < NR_LABELS; list += length + 1) {
		enum label label = 0;

		length = strcspn(list, ",");
		while (label < NR_LABELS && (strncmp(list, label_names[label], length) != 0 ||
					     label_names[label][length]))
			label++;
		if (label == NR_LABELS && strncmp(list, "function", length) != 0)
			return error("-f dot: no column is called '%.*s'; there are total_percent, "
				     "self_percent, calls, total_ns, self_ns and alloc_bytes",
				     (int)length, list), false;
		if (label < NR_LABELS)
			graph->labels[graph->nr_labels++] = label;
		if (!list[length])
			break;
	}
	return true;
}

int export_dot(struct report *report)
{
	const struct model *model = report->model;
	size_t nr = functions_count(&model->tables->functions);
	double percent = report->options->min_percent;
	struct graph graph = {
		.report = report,
		.measure = model->is_sampled ? BY_SAMPLES : report_has_times(report) ? BY_TIME : BY_CALLS,
		.least_node = (percent > 0 ? percent : NODE_PERCENT) / 100,
		.least_edge = (percent > 0 ? percent * EDGE_PERCENT / NODE_PERCENT : EDGE_PERCENT) / 100,
		.theme = theme_asked(report->options),
	};
	const double alls[] = { model->functions_ns, model->samples.ns, (double)model->calls };
	int status;

	export_sources(model);
	if (!graph.theme ||
	    !read_labels(&graph, options_want_folder(report->options) ? NULL : report->options->columns))
		return EXIT_USAGE;
	if (report->diff)
		return dot_diff(report);
	graph.all = alls[graph.measure];
	graph.first_edge = xcalloc(nr + 1, sizeof(*graph.first_edge));
	graph.cycle = xcalloc(nr, sizeof(*graph.cycle));
	counted_callers_read(report->model);
	edges_init(&graph.edges, model);
	find_cycles(&graph, nr);
	mark_reached(&graph, nr);
	status = dot_file(report, write_graph, &graph);
	edges_release(&graph.edges);
	free(graph.first_edge);
	free(graph.cycle);
	free(graph.reaches);
	return status;
}
