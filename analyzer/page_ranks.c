/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What each process has of the functions with most time: a number for each of both. The model adds processes up, so
 * their call paths are read once more. Calls that are still open are not in it.
 */
#include "page.h"

#include <math.h>
#include <stdlib.h>

#include "error.h"
#include "logfile.h"
#include "node_check.h"

#define CELLS_MAX	300000
#define FUNCTIONS_MIN	8
#define FUNCTIONS_MAX	500

struct ranks {
	struct page *page;
	uint32_t *row_of;		/* [function]: its row + 1, 0: it is not among those */
	uint32_t *functions;		/* [row] */
	size_t nr_rows;
	double *self_ns;		/* [row * processes + process] */
	double *calls;
};

static int most_first(const void *a, const void *b, void *context)
{
	struct function **functions = context;
	const struct call_stats *x = &functions[*(const uint32_t *)a]->stats, *y = &functions[*(const uint32_t *)b]->stats;

	if (x->self_ns != y->self_ns)
		return x->self_ns < y->self_ns ? 1 : -1;
	return (x->calls < y->calls) - (x->calls > y->calls);
}

/* The functions with most self time, as many as there is room for. */
static void choose_rows(struct ranks *ranks)
{
	const struct model *model = ranks->page->report->model;
	struct function **plain = xcalloc(model->nr_functions + 1, sizeof(*plain));
	size_t nr = 0, most = CELLS_MAX / model->nr_processes;

	ranks->functions = xcalloc(model->nr_functions + 1, sizeof(*ranks->functions));
	ranks->row_of = xcalloc(model->nr_functions + 1, sizeof(*ranks->row_of));
	for (size_t i = 0; i < model->nr_functions; i++)
		if (model->functions[i]->kind == FUNCTION_PLAIN)
			plain[nr++] = model->functions[i];
	for (uint32_t i = 0; i < nr; i++)
		ranks->functions[i] = i;
	qsort_r(ranks->functions, nr, sizeof(*ranks->functions), most_first, plain);
	most = most < FUNCTIONS_MIN ? FUNCTIONS_MIN : most > FUNCTIONS_MAX ? FUNCTIONS_MAX : most;
	ranks->nr_rows = nr < most ? nr : most;
	for (uint32_t i = 0; i < ranks->nr_rows; i++)
		ranks->row_of[ranks->functions[i]] = i + 1;
	free(plain);
}

static bool is_sound(const struct process *process, const struct log_node *node)
{
	struct node_limits limits = {
		.span_ticks = process->limit_ticks - process->timebase.points[0].ticks,
		.calls = UINT64_MAX,
		.changing = true,
	};
	uint64_t histogram[LOG_BUCKETS];

	for (int i = 0; i < LOG_BUCKETS; i++)
		histogram[i] = node->histogram[i];
	return node_is_sound(node, histogram, &limits);
}

static void add_node(struct ranks *ranks, size_t column, struct process *process, uint32_t index, uint64_t offset)
{
	const struct tree_node *path = process->tree_of[index];
	uint32_t function, row;
	struct log_node node;
	size_t cell;

	function = path && path->function ? ranks->page->function_of[path->id] : UINT32_MAX;
	if (function >= ranks->page->nr_functions)
		return;
	row = ranks->row_of[function];
	if (!row)
		return;
	logfile_node(process->log, offset, &node);
	if (!is_sound(process, &node))
		return;
	cell = (row - 1) * ranks->page->report->model->nr_processes + column;
	ranks->calls[cell] += (double)node.calls;
	ranks->self_ns[cell] += (double)(int64_t)(node.total_ticks - node.child_ticks) * process->tick_ns;
}

static void add_process(struct ranks *ranks, size_t column, struct process *process)
{
	for (size_t i = 0; process->tree_of && i < process->log->nr_extents; i++) {
		const struct log_extent *extent = &process->log->extents[i];
		uint64_t offset = extent->offset + sizeof(struct log_area);

		for (uint32_t j = 0; extent->kind != LOG_AREA_THREAD && j < extent->nr_nodes; j++, offset += sizeof(struct log_node))
			add_node(ranks, column, process, extent->first_node + j, offset);
	}
}

/* The hooks' cost was taken out of the sums over processes: each has its share of it by its share of the time. */
static void take_out_hooks(struct ranks *ranks, size_t nr_processes)
{
	const struct model *model = ranks->page->report->model;
	uint32_t row = 0;

	for (size_t i = 0; i < model->nr_functions && model->hooks_ns > 0; i++) {
		double *cells = ranks->self_ns, sum = 0, factor;
		uint32_t function = row;

		if (model->functions[i]->kind != FUNCTION_PLAIN)
			continue;
		row++;
		if (!ranks->row_of[function])
			continue;
		cells += (ranks->row_of[function] - 1) * nr_processes;
		for (size_t j = 0; j < nr_processes; j++)
			sum += cells[j];
		factor = sum > 0 ? fmax(0, fmin(1, model->functions[i]->stats.self_ns / sum)) : 1;
		for (size_t j = 0; j < nr_processes; j++)
			cells[j] *= factor;
	}
}

static void fill_block(struct block *block, struct ranks *ranks, size_t nr_cells)
{
	double *functions = xcalloc(ranks->nr_rows + 1, sizeof(*functions));

	for (size_t i = 0; i < ranks->nr_rows; i++)
		functions[i] = ranks->functions[i];
	for (size_t i = 0; i < nr_cells; i++)
		ranks->self_ns[i] = ranks->self_ns[i] > 0 ? round(ranks->self_ns[i]) : 0;
	block_add_numbers(block, "function", functions, ranks->nr_rows, 0);
	block_add_numbers(block, "self_ns", ranks->self_ns, nr_cells, 0);
	block_add_numbers(block, "calls", ranks->calls, nr_cells, 0);
	free(functions);
}

void page_add_ranks(struct page *page)
{
	struct model *model = page->report->model;
	struct ranks ranks = { .page = page };
	size_t nr_cells;

	if (model->nr_processes < 2)
		return;
	choose_rows(&ranks);
	nr_cells = ranks.nr_rows * model->nr_processes;
	ranks.self_ns = xcalloc(nr_cells + 1, sizeof(*ranks.self_ns));
	ranks.calls = xcalloc(nr_cells + 1, sizeof(*ranks.calls));
	for (size_t i = 0; i < model->nr_processes; i++)
		add_process(&ranks, i, model->processes[i]);
	take_out_hooks(&ranks, model->nr_processes);
	fill_block(page_block(page, "ranks"), &ranks, nr_cells);
	free(ranks.row_of);
	free(ranks.functions);
	free(ranks.self_ns);
	free(ranks.calls);
}
