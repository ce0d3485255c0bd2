/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The call graph for graphviz, with the thresholds, labels and colours that gprof2dot has. Edges are exact,
 * not estimated from totals; functions that call each other in a circle are marked as a cycle. If the
 * file's name is that of a picture, graphviz draws it.
 */
#include "analyzer/formats/export.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyzer/base/error.h"
#include "analyzer/base/names.h"
#include "analyzer/model/call_edges.h"
#include "analyzer/model/selector.h"
#include "analyzer/model/tree.h"

#define NODE_PERCENT	0.5	/* as gprof2dot: less is not drawn */
#define EDGE_PERCENT	0.1
#define EDGE_WIDTH_MIN	0.5
#define EDGE_WIDTH_MAX	4.0
#define FONT_SIZE	10.0

enum measure { BY_TIME, BY_SAMPLES, BY_CALLS };

struct graph {
	FILE *out;
	const struct report *report;
	enum measure measure;
	double all;			/* what 100 % is */
	bool has_doubts;
	double least_node, least_edge;	/* parts of it */
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
	       (!pattern || selector_matches(pattern, function));
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

/* ---- drawing ---- */

static double channel(double m1, double m2, double hue)
{
	hue -= floor(hue);
	return hue * 6 < 1 ? m1 + (m2 - m1) * hue * 6
	       : hue * 2 < 1 ? m2
	       : hue * 3 < 2 ? m1 + (m2 - m1) * (2.0 / 3 - hue) * 6 : m1;
}

/* From dark blue, cold, to red, hot: a way through hue, saturation and lightness. */
static void write_color(FILE *out, double part)
{
	double hue = 2.0 / 3 * (1 - part), saturation = 0.8 + 0.2 * part, lightness = 0.25 + 0.25 * part;
	double m2 = lightness * (1 + saturation), m1 = 2 * lightness - m2;

	fprintf(out, "\"#%02x%02x%02x\"", (unsigned int)lround(255 * channel(m1, m2, hue + 1.0 / 3)),
		(unsigned int)lround(255 * channel(m1, m2, hue)),
		(unsigned int)lround(255 * channel(m1, m2, hue - 1.0 / 3)));
}

static void write_label(FILE *out, const char *text)
{
	char *clean = utf8_cleaned(text);

	for (const char *p = clean; *p; p++) {
		if (*p == '"' || *p == '\\')
			putc('\\', out);
		putc((unsigned char)*p < ' ' ? ' ' : *p, out);
	}
	free(clean);
}

static void write_node(const struct graph *graph, const struct function *function)
{
	double total = total_of(graph, &function->stats, &function->samples), self = self_of(graph, function);
	FILE *out = graph->out;

	fprintf(out, "\tf%u [color=", function->number);
	write_color(out, total);
	fputs(", fontcolor=\"#ffffff\", fontsize=\"10.00\", label=\"", out);
	write_label(out, export_name(function));
	if (graph->measure == BY_CALLS)
		fprintf(out, "\\n%" PRIu64 "\303\227", function->stats.calls);
	else
		fprintf(out, "\\n%.2f%%\\n(%.2f%%)\\n%" PRIu64 "\303\227", 100 * total, 100 * self,
			graph->measure == BY_TIME ? function->stats.calls : function->samples.total_nr);
	if (graph->cycle[function->number])
		fprintf(out, "\\ncycle %u", graph->cycle[function->number]);
	fputs("\", tooltip=\"", out);
	write_label(out, function->name);
	fputs("\"];\n", out);
}

static void write_edge(const struct graph *graph, const struct edge *edge)
{
	double total = total_of(graph, &edge->stats, &edge->samples);
	double width = fmax(total * EDGE_WIDTH_MAX, EDGE_WIDTH_MIN);
	bool in_cycle = graph->cycle[edge->caller->number] &&
			graph->cycle[edge->caller->number] == graph->cycle[edge->function->number];
	FILE *out = graph->out;

	fprintf(out, "\tf%u -> f%u [color=", edge->caller->number, edge->function->number);
	write_color(out, total);
	fputs(", fontcolor=", out);
	write_color(out, total);
	fprintf(out,
		", arrowsize=\"%.2f\", fontsize=\"%.2f\", penwidth=\"%.2f\", "
		"labeldistance=\"%.2f\"%s, label=\"",
		0.5 * sqrt(width), FONT_SIZE, width, width, in_cycle ? ", style=dashed" : "");
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
	write_label(graph->out, text);
}

static void write_graph(struct graph *graph)
{
	const struct model *model = graph->report->model;

	fputs("digraph {\n"
	      "\tgraph [fontname=Arial, nodesep=0.125, ranksep=0.25];\n"
	      "\tnode [fontcolor=white, fontname=Arial, height=0, shape=box, style=filled, width=0];\n"
	      "\tedge [fontname=Arial];\n", graph->out);
	export_doubts(model, write_doubt, graph);
	fputs(graph->has_doubts ? "\\l\"];\n" : "", graph->out);
	for (size_t i = 0; i < model->nr_functions; i++)
		if (is_shown(graph, model->functions[i]))
			write_node(graph, model->functions[i]);
	for (size_t i = 0; i < graph->edges.nr; i++) {
		const struct edge *edge = &graph->edges.list[i];

		if (edge->caller && is_shown(graph, edge->caller) && is_shown(graph, edge->function) &&
		    total_of(graph, &edge->stats, &edge->samples) >= graph->least_edge)
			write_edge(graph, edge);
	}
	fputs("}\n", graph->out);
}

/* ---- a picture of it ---- */

/* "pdf" of "graph.pdf"; NULL: it is no picture */
static const char *picture_of(const struct options *options)
{
	static const char *const kinds[] = { "pdf", "svg", "png" };
	const char *dot = options->output ? strrchr(options->output, '.') : NULL;

	for (size_t i = 0; dot && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strcmp(dot + 1, kinds[i]) == 0)
			return kinds[i];
	return NULL;
}

bool export_can_draw_graph(void)
{
	return system("command -v dot >/dev/null 2>&1") == 0;
}

/* graphviz reads @graph, and writes the picture to @picture. */
static bool draw(FILE *graph, FILE *picture, const char *kind)
{
	char *type = xasprintf("-T%s", kind), *command[] = { "dot", type, NULL };
	posix_spawn_file_actions_t actions;
	int status = -1, result;
	pid_t pid;

	rewind(graph);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fileno(graph), STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, fileno(picture), STDOUT_FILENO);
	result = posix_spawnp(&pid, command[0], &actions, NULL, command, environ);
	posix_spawn_file_actions_destroy(&actions);
	free(type);
	if (result)
		return error("cannot run dot, of graphviz: %s", strerror(result)), false;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status == 0 || (error("dot could not draw the graph"), false);
}

static int write_picture(struct graph *graph, const char *kind)
{
	FILE *picture = graph->out;
	bool done;

	graph->out = tmpfile();
	if (!graph->out)
		return error("cannot make a temporary file: %s", strerror(errno));
	write_graph(graph);
	done = draw(graph->out, picture, kind);
	fclose(graph->out);
	return done ? 0 : -1;
}

int export_dot(struct report *report)
{
	const char *picture = picture_of(report->options);
	const struct model *model = report->model;
	size_t nr = functions_count(&model->tables->functions);
	double percent = report->options->min_percent;
	struct graph graph = {
		.report = report,
		.measure = model->is_sampled ? BY_SAMPLES : report_has_times(report) ? BY_TIME : BY_CALLS,
		.least_node = (percent > 0 ? percent : NODE_PERCENT) / 100,
		.least_edge = (percent > 0 ? percent * EDGE_PERCENT / NODE_PERCENT : EDGE_PERCENT) / 100,
	};
	const double alls[] = { model->functions_ns, model->samples.ns, (double)model->calls };
	struct whole_file file;
	bool is_whole = true;

	if (!export_open(&file, report->options))
		return EXIT_FAILURE;
	graph.out = file.out;
	graph.all = alls[graph.measure];
	graph.first_edge = xcalloc(nr + 1, sizeof(*graph.first_edge));
	graph.cycle = xcalloc(nr, sizeof(*graph.cycle));
	edges_init(&graph.edges, model);
	find_cycles(&graph, nr);
	if (!picture)
		write_graph(&graph);
	else if (write_picture(&graph, picture) < 0)
		is_whole = false;
	edges_release(&graph.edges);
	free(graph.first_edge);
	free(graph.cycle);
	if (!is_whole)
		return whole_file_close(&file, false), EXIT_FAILURE;
	return export_close(&file);
}
