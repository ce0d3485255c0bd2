/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --diff -f dot: the call graphs of two runs in one. A function that takes longer than before is red, one
 * that takes less is green, the more the stronger; edges have the calls of both. Figures are means of a run.
 */
#include "analyzer/formats/dot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/units.h"
#include "analyzer/formats/export.h"
#include "analyzer/model/selector.h"

#define NODE_PERCENT	0.5	/* less on both sides is not drawn */
#define RED		0.0
#define GREEN		(1.0 / 3)

struct node {
	const struct diff_function *function;
	size_t number;			/* in the file */
	bool is_shown;
};

struct pair {
	const struct node *caller, *function;
	double calls[DIFF_SIDES];
};

struct both {
	const struct report *report;
	bool has_times;			/* else calls decide */
	double nr_runs[DIFF_SIDES];
	double all[DIFF_SIDES];		/* what 100 % is */
	double most;			/* the largest change */
	struct node *nodes;		/* by the address of the function */
	struct pair *pairs;
	size_t nr_pairs;
};

static double total_of(const struct both *both, const struct diff_function *function, int side)
{
	const struct call_stats *stats = &function->sides[side].stats;

	return fmax(both->has_times ? stats->total_ns : (double)stats->calls, 0) / both->nr_runs[side];
}

static double self_of(const struct both *both, const struct diff_function *function, int side)
{
	return fmax(function->sides[side].stats.self_ns, 0) / both->nr_runs[side];
}

static double change_of(const struct both *both, const struct diff_function *function)
{
	return total_of(both, function, DIFF_AFTER) - total_of(both, function, DIFF_BEFORE);
}

static bool is_shown(const struct both *both, const struct diff_function *function)
{
	const struct options *options = both->report->options;
	double least = (options->min_percent > 0 ? options->min_percent : NODE_PERCENT) / 100;

	if (options->match && !selector_matches(options->match, function->function))
		return false;
	for (int side = 0; side < DIFF_SIDES; side++)
		if (function->sides[side].is_there &&
		    total_of(both, function, side) >= least * both->all[side])
			return true;
	return false;
}

/* ---- what is drawn ---- */

static int by_address(const void *a, const void *b)
{
	const struct node *x = a, *y = b;

	return (x->function > y->function) - (x->function < y->function);
}

static void read_nodes(struct both *both, const struct diff *diff)
{
	both->nodes = xcalloc(diff->nr_functions, sizeof(*both->nodes));
	for (size_t i = 0; i < diff->nr_functions; i++) {
		both->nodes[i] = (struct node){ diff->functions[i], i, is_shown(both, diff->functions[i]) };
		if (both->nodes[i].is_shown)
			both->most = fmax(both->most, fabs(change_of(both, diff->functions[i])));
	}
	if (diff->nr_functions)
		qsort(both->nodes, diff->nr_functions, sizeof(*both->nodes), by_address);
}

static const struct node *node_of(const struct both *both, const struct diff_function *function)
{
	const struct node key = { .function = function };

	return bsearch(&key, both->nodes, both->report->diff->nr_functions, sizeof(key), by_address);
}

static int by_numbers(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->caller != y->caller)
		return x->caller->number < y->caller->number ? -1 : 1;
	return (x->function->number > y->function->number) - (x->function->number < y->function->number);
}

/* Call paths added up by pairs of caller and function. */
static void read_pairs(struct both *both, const struct diff *diff)
{
	size_t nr = 0;

	for (size_t i = 0; i < diff->nr_paths; i++) {
		const struct diff_path *path = diff->paths[i];
		struct pair pair = { .calls = { 0 } };

		if (!path->parent || !path->parent->function)
			continue;
		pair.caller = node_of(both, path->parent->function);
		pair.function = node_of(both, path->function);
		if (!pair.caller || !pair.function || !pair.caller->is_shown || !pair.function->is_shown)
			continue;
		for (int side = 0; side < DIFF_SIDES; side++)
			pair.calls[side] = (double)path->sides[side].stats.calls / both->nr_runs[side];
		APPEND(both->pairs, both->nr_pairs) = pair;
	}
	if (both->nr_pairs)
		qsort(both->pairs, both->nr_pairs, sizeof(*both->pairs), by_numbers);
	for (size_t i = 0; i < both->nr_pairs; i++) {
		if (!nr || by_numbers(&both->pairs[nr - 1], &both->pairs[i]) != 0) {
			both->pairs[nr++] = both->pairs[i];
			continue;
		}
		for (int side = 0; side < DIFF_SIDES; side++)
			both->pairs[nr - 1].calls[side] += both->pairs[i].calls[side];
	}
	both->nr_pairs = nr;
}

/* ---- drawing ---- */

/* "\\n12 ms > 15 ms" */
static void write_times(FILE *out, const char *before, double from, double to, const char *after)
{
	char texts[DIFF_SIDES][UNIT_TEXT_MAX];

	fprintf(out, "\\n%s%s > %s%s", before, unit_format(texts[DIFF_BEFORE], UNIT_NS, from),
		unit_format(texts[DIFF_AFTER], UNIT_NS, to), after);
}

static void write_calls(FILE *out, double before, double after)
{
	char texts[DIFF_SIDES][UNIT_TEXT_MAX];

	fprintf(out, "%s\303\227 / %s\303\227", unit_format(texts[DIFF_BEFORE], UNIT_COUNT, before),
		unit_format(texts[DIFF_AFTER], UNIT_COUNT, after));
}

static void write_node(const struct both *both, FILE *out, const struct diff_function *function,
		       size_t number)
{
	double change = change_of(both, function), part = both->most > 0 ? fabs(change) / both->most : 0;

	fprintf(out, "\tf%zu [color=", number);
	dot_color(out, change > 0 ? RED : GREEN, part, 0.4);
	fputs(", label=\"", out);
	dot_text(out, export_name(function->function));
	if (both->has_times) {
		write_times(out, "", total_of(both, function, DIFF_BEFORE),
			    total_of(both, function, DIFF_AFTER), "");
		write_times(out, "(", self_of(both, function, DIFF_BEFORE),
			    self_of(both, function, DIFF_AFTER), ")");
	}
	fputs("\\n", out);
	write_calls(out, (double)function->sides[DIFF_BEFORE].stats.calls / both->nr_runs[DIFF_BEFORE],
		    (double)function->sides[DIFF_AFTER].stats.calls / both->nr_runs[DIFF_AFTER]);
	fputs("\", ", out);
	dot_tooltip(out, function->function);
	fputs("];\n", out);
}

static void write_both(void *of, FILE *out)
{
	const struct both *both = of;
	const struct diff *diff = both->report->diff;

	fputs("digraph {\n"
	      "\tgraph [fontname=Arial, nodesep=0.125, ranksep=0.25];\n"
	      "\tnode [fontcolor=white, fontname=Arial, fontsize=10, height=0, shape=box, style=filled, "
	      "width=0];\n"
	      "\tedge [fontname=Arial, fontsize=10, color=\"#666666\", fontcolor=\"#666666\"];\n", out);
	for (size_t i = 0; i < diff->nr_functions; i++)
		if (is_shown(both, diff->functions[i]))
			write_node(both, out, diff->functions[i], i);
	for (size_t i = 0; i < both->nr_pairs; i++) {
		const struct pair *pair = &both->pairs[i];

		fprintf(out, "\tf%zu -> f%zu [label=\"", pair->caller->number, pair->function->number);
		write_calls(out, pair->calls[DIFF_BEFORE], pair->calls[DIFF_AFTER]);
		fputs("\"];\n", out);
	}
	fputs("}\n", out);
}

int dot_diff(struct report *report)
{
	const struct model *models[] = { report->before->model, report->model };
	struct both both = {
		.report = report,
		.has_times = report_has_times(report) && report_has_times(report->before),
		.nr_runs = { fmax(models[0]->nr_runs, 1), fmax(models[1]->nr_runs, 1) },
	};
	int status;

	export_sources(models[0]);
	export_sources(models[1]);
	for (int side = 0; side < DIFF_SIDES; side++)
		both.all[side] = (both.has_times ? models[side]->functions_ns : (double)models[side]->calls) /
				 both.nr_runs[side];
	read_nodes(&both, report->diff);
	read_pairs(&both, report->diff);
	export_warn(report->model);
	status = dot_file(report, write_both, &both);
	free(both.nodes);
	free(both.pairs);
	return status;
}
