/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Folded stacks, a call path a line: "main;run;step 1234", for flamegraph.pl, inferno, speedscope. What the
 * kernel had of CPU time is a leaf, "[kernel]". With --diff two numbers, before and after, as difffolded.pl
 * writes them.
 */
#include "analyzer/formats/export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/names.h"
#include "analyzer/cells/diff.h"
#include "analyzer/formats/weights.h"
#include "analyzer/model/selector.h"
#include "analyzer/model/tree_walk.h"
#include "analyzer/tables/table_text.h"

struct folded {
	const struct report *report;
	const struct weight *weight;
	FILE *out;
	struct row_text line;
	size_t ends[PATHS_DEPTH + 2];	/* [depth]: where the names of a path of that depth end in the line */
	uint32_t matched_depth;		/* of the path that --match takes, with all below it; 0: none */
};

/* The format knows no escapes: ';' is between names, and a line is a path. */
static void add_name(struct row_text *line, const char *name)
{
	for (; *name; name++)
		row_add_char(line,
			     *name == ';' ? ':' : (unsigned char)*name < ' ' || *name == 127 ? '_' : *name);
}

static void begin_line(struct folded *folded, uint32_t depth, const char *name)
{
	folded->line.used = depth > 1 ? folded->ends[depth - 1] : 0;
	if (depth > 1)
		row_add_char(&folded->line, ';');
	add_name(&folded->line, name);
	folded->ends[depth] = folded->line.used;
}

static void end_line(struct folded *folded, int64_t before, int64_t after, bool has_both)
{
	if (!before && !after)
		return;
	row_add_char(&folded->line, ' ');
	if (has_both) {
		row_add_integer(&folded->line, before);
		row_add_char(&folded->line, ' ');
	}
	row_add_integer(&folded->line, after);
	row_end(&folded->line, folded->out);
}

static bool is_matched(struct folded *folded, uint32_t depth, struct function *function)
{
	const char *pattern = folded->report->options->match;

	if (depth <= folded->matched_depth)
		folded->matched_depth = 0;
	if (pattern && !folded->matched_depth && selector_matches(pattern, function))
		folded->matched_depth = depth;
	return !pattern || folded->matched_depth;
}

/* Below a function that is in the line: what the kernel had of its own CPU time. Return: that */
static int64_t write_kernel(struct folded *folded, const struct tree_node *node)
{
	const int64_t value = weight_of_kernel(folded->weight, node);

	if (value) {
		begin_line(folded, node->depth + 1, "[kernel]");
		end_line(folded, 0, value, false);
		folded->line.used = folded->ends[node->depth];
	}
	return value;
}

static void write_paths(struct folded *folded)
{
	for (struct tree_node *node = tree_next(folded->report->model->root); node; node = tree_next(node)) {
		const bool is_too_deep = node->depth > PATHS_DEPTH;
		const bool matched = is_matched(folded, node->depth, node->function);
		int64_t value;

		begin_line(folded, node->depth, is_too_deep ? DEEPER : export_name(node->function));
		value = weight_shown(folded->weight, &node);
		if (matched && !is_too_deep)
			value -= write_kernel(folded, node);
		if (matched)
			end_line(folded, 0, value, false);
	}
}

/* ---- two runs ---- */

static uint32_t depth_of(const struct diff_path *path)
{
	uint32_t depth = 0;

	for (; path->parent; path = path->parent)
		depth++;
	return depth;
}

static void begin_path(struct folded *folded, const struct diff_path *path)
{
	const struct diff_path *above[PATHS_DEPTH + 1];
	uint32_t depth = depth_of(path), nr = 0;

	for (uint32_t i = depth; i > PATHS_DEPTH; i--)
		path = path->parent;
	for (; path->parent; path = path->parent)
		above[nr++] = path;
	folded->matched_depth = 0;
	for (uint32_t i = 1; i <= nr; i++) {
		is_matched(folded, i, above[nr - i]->function->function);
		begin_line(folded, i, export_name(above[nr - i]->function->function));
	}
	if (depth > PATHS_DEPTH)
		begin_line(folded, PATHS_DEPTH + 1, DEEPER);
}

/* The mean of a run. */
static int64_t side_of(const struct folded *folded, const struct diff_side *side, const struct report *report)
{
	const double sum = side->is_there ? (double)folded->weight->of_diff(&side->stats, &side->heap) : 0;

	return llround(sum / fmax((double)report->model->nr_runs, 1));
}

static void write_both(struct folded *folded)
{
	const struct report *report = folded->report;
	const struct diff *diff = report->diff;

	for (size_t i = 0; i < diff->nr_paths; i++) {
		const struct diff_path *path = diff->paths[i];

		if (!path->parent)
			continue;
		begin_path(folded, path);
		if (!report->options->match || folded->matched_depth)
			end_line(folded, side_of(folded, &path->sides[DIFF_BEFORE], report->before),
				 side_of(folded, &path->sides[DIFF_AFTER], report), true);
	}
}

int export_folded(struct report *report)
{
	struct folded folded = { .report = report, .weight = weight_asked(report) };
	struct whole_file file;

	if (!folded.weight)
		return EXIT_USAGE;
	if (!export_open(&file, report->options))
		return EXIT_FAILURE;
	folded.out = file.out;
	export_warn(report->model);
	(report->diff ? write_both : write_paths)(&folded);
	row_text_release(&folded.line);
	return export_close(&file);
}
