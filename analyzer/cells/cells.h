/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cells that tables of functions, call paths and calls have in common. */
#ifndef INSIDEME_CELLS_H
#define INSIDEME_CELLS_H

#include "analyzer/model/model.h"
#include "analyzer/model/run_parts.h"
#include "analyzer/tables/table.h"

/* Numbers of a function or a call path. Which one is in column->index. */
enum stats_cell {
	CELL_CALLS, CELL_OPEN_CALLS, CELL_TIMED_CALLS,
	CELL_SELF, CELL_TOTAL, CELL_MEAN, CELL_MIN, CELL_MAX, CELL_STDDEV,
	CELL_SELF_ERROR, CELL_TOTAL_ERROR,	/* one standard error; empty where every call was timed */
	CELL_SELF_DOUBTFUL, CELL_TOTAL_DOUBTFUL,	/* 1: it is too short to tell, see hook_costs.h */
	CELL_SELF_DOUBT, CELL_TOTAL_DOUBT,	/* it is known no better; empty: the hooks' cost is not, or was not taken out */
};
struct value stats_cell(const struct call_stats *stats, enum stats_cell cell);
/* A duration of one call, hooks_costs_per_call() taken off. */
struct value call_cell(const struct call_stats *stats, double ns);

enum heap_cell {
	CELL_ALLOC_CALLS, CELL_ALLOC_BYTES, CELL_FREE_CALLS, CELL_FREED_BYTES, CELL_FAILED_CALLS, CELL_LARGEST_BYTES,
	CELL_LIVE,		/* from here on: empty where live blocks were not recorded */
	CELL_TEMPORARY_CALLS = CELL_LIVE, CELL_TEMPORARY_PERCENT, CELL_PEAK_CALLS, CELL_PEAK_BYTES, CELL_NOT_FREED_CALLS,
	CELL_NOT_FREED_BYTES,
	CELL_SAMPLED,		/* from here on: empty where no stacks were sampled; errors are standard ones */
	CELL_SAMPLES = CELL_SAMPLED, CELL_ALLOC_ERROR, CELL_PEAK_ERROR, CELL_NOT_FREED_ERROR,
};
struct value heap_cell(const struct heap_stats *heap, enum heap_cell cell);

/* The standard error of bytes. */
/* What measured the time: "hooks", "samples", "hooks+samples" where the first calls were timed; empty: nothing. */
struct value time_source_cell(const struct call_stats *stats);
struct value bytes_error_cell(double variance_bytes2);

/* CPU samples. Shares are of @nr_all; errors are standard ones. */
enum sample_cell {
	CELL_SAMPLES_NR, CELL_SAMPLES_IN_HOOKS, CELL_SAMPLES_MISSED, CELL_SAMPLES_TOTAL,
	CELL_SAMPLES_PERCENT, CELL_SAMPLES_ERROR, CELL_SAMPLES_TOTAL_PERCENT, CELL_SAMPLES_SELF_NS, CELL_SAMPLES_TOTAL_NS,
};
struct value sample_cell(const struct sample_stats *samples, uint64_t nr_all, double all_ns, enum sample_cell cell);

/* What a function is. MODULE: base name of its file; SOURCE: "pool.cpp:31". */
enum function_cell { CELL_NAME, CELL_MODULE, CELL_FILE, CELL_LINE, CELL_SOURCE };
struct value function_cell(struct function *function, enum function_cell cell);

/* What one of several runs has in the least, mean or most. Counts and bytes are whole numbers but in their mean. */
enum part_cell { CELL_PART_MIN, CELL_PART_MEAN, CELL_PART_MAX };
struct value part_cell(const struct part_range *range, enum part_cell cell, enum unit unit);

/* Which of several runs: its path, or its place among them from 1 on. */
enum run_cell { CELL_RUN, CELL_RUN_NUMBER };
struct value run_cell(const struct model *model, uint32_t run, enum run_cell cell);

/* Nanoseconds as a whole number; negative ones, which a sum of differences may leave, as 0. */
struct value ns_cell(double ns);
/* Empty where @part is more than @whole, by what can be seen: what the hooks cost was taken out of both, and is not known that well. */
struct value share_cell(double part, double whole);

#endif
