/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The time that each process spent in the functions that took most time: a number for each pair of function
 * and process.
 */
#include "analyzer/page/page.h"

#include <math.h>
#include <stdlib.h>

#include "analyzer/base/error.h"
#include "analyzer/calls/process_sums.h"

#define CELLS_MAX	300000
#define FUNCTIONS_MIN	8
#define FUNCTIONS_MAX	500

struct ranks {
	struct page *page;
	uint32_t *row_of;		/* [function]: its row + 1; 0: it has none */
	uint32_t *functions;		/* [row] */
	size_t nr_rows;
	double *self_ns;		/* [row * processes + process] */
	double *calls;
};

static int most_first(const void *a, const void *b, void *context)
{
	struct function **functions = context;
	const struct call_stats *x = &functions[*(const uint32_t *)a]->stats,
				*y = &functions[*(const uint32_t *)b]->stats;

	if (x->self_ns != y->self_ns)
		return x->self_ns < y->self_ns ? 1 : -1;
	return (x->calls < y->calls) - (x->calls > y->calls);
}

/* Choose the functions with most self time, as many as there is room for. */
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

/* The column that gets the sums of one process. */
struct rank_column {
	struct ranks *ranks;
	size_t number;
};

static void add_sum(const struct process_sum *sum, void *context)
{
	const struct rank_column *column = context;
	struct ranks *ranks = column->ranks;
	uint32_t function = sum->path->function ? ranks->page->function_of[sum->path->id] : UINT32_MAX, row;
	size_t cell;

	row = function < ranks->page->nr_functions ? ranks->row_of[function] : 0;
	if (!row)
		return;
	cell = (row - 1) * ranks->page->report->model->nr_processes + column->number;
	ranks->calls[cell] += (double)sum->stats.calls;
	ranks->self_ns[cell] += sum->stats.self_ns;
}

static void fill_sheet(struct sheet *sheet, struct ranks *ranks, size_t nr_cells)
{
	double *functions = xcalloc(ranks->nr_rows + 1, sizeof(*functions));

	for (size_t i = 0; i < ranks->nr_rows; i++)
		functions[i] = ranks->functions[i];
	for (size_t i = 0; i < nr_cells; i++)
		ranks->self_ns[i] = ranks->self_ns[i] > 0 ? round(ranks->self_ns[i]) : 0;
	sheet_add_numbers(sheet, "function", functions, ranks->nr_rows, 0);
	sheet_add_numbers(sheet, "self_ns", ranks->self_ns, nr_cells, 0);
	sheet_add_numbers(sheet, "calls", ranks->calls, nr_cells, 0);
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
		process_sums_each(model->processes[i], add_sum, &(struct rank_column){ &ranks, i });
	fill_sheet(page_sheet(page, "ranks"), &ranks, nr_cells);
	free(ranks.row_of);
	free(ranks.functions);
	free(ranks.self_ns);
	free(ranks.calls);
}
