/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cells that tables of functions, call paths and calls have in common. */
#pragma once

#include "analyzer/model/model.h"
#include "analyzer/model/run_parts.h"
#include "analyzer/tables/table.h"

/* Numbers of a function or a call path. Which one is in column->index. */
enum stats_cell {
	CELL_CALLS, CELL_OPEN_CALLS, CELL_TIMED_CALLS,
	CELL_SELF, CELL_TOTAL, CELL_MEAN, CELL_MIN, CELL_MAX, CELL_STDDEV,
	CELL_SELF_ERROR, CELL_TOTAL_ERROR,	/* one standard error; empty where every call was timed */
	CELL_SELF_DOUBTFUL, CELL_TOTAL_DOUBTFUL,	/* 1: too short to measure beside the hooks */
	/* how far off it may be; empty: the hooks' cost is not known, or was not subtracted */
	CELL_SELF_DOUBT, CELL_TOTAL_DOUBT,
};
struct value stats_cell(const struct call_stats *stats, enum stats_cell cell);
/*
 * As pstats has them: calls; @primitive, of these the calls that are not within another of their function;
 * self time of one call; total time of a primitive one. Calls that were only counted may be either kind.
 */
enum nested_cell { CELL_NESTED_CALLS, CELL_PRIMITIVE_CALLS, CELL_SELF_PER_CALL, CELL_TOTAL_PER_CALL };
struct value nested_cell(const struct call_stats *stats, uint64_t primitive, enum nested_cell cell);
/* The duration of one call, from which hook_costs_per_call() was subtracted. */
struct value call_cell(const struct call_stats *stats, double ns);
/* A percentile of such durations, by its bounds: the upper one, marked unless the lower one is near. */
struct value percentile_cell(const struct call_stats *stats, double most_ns, double least_ns);

enum heap_cell {
	CELL_ALLOC_CALLS, CELL_ALLOC_BYTES, CELL_FREE_CALLS, CELL_FREED_BYTES, CELL_FAILED_CALLS,
	CELL_LARGEST_BYTES,
	CELL_LIVE,		/* from here on: empty where live blocks were not recorded */
	CELL_TEMPORARY_CALLS = CELL_LIVE, CELL_TEMPORARY_PERCENT, CELL_PEAK_CALLS, CELL_PEAK_BYTES,
	CELL_NOT_FREED_CALLS, CELL_NOT_FREED_BYTES,
	CELL_SAMPLED,		/* from here on: empty where no stacks were sampled; standard errors */
	CELL_SAMPLES = CELL_SAMPLED, CELL_ALLOC_ERROR, CELL_PEAK_ERROR, CELL_NOT_FREED_ERROR,
};
struct value heap_cell(const struct heap_stats *heap, enum heap_cell cell);

/* The standard error of bytes. */
struct value bytes_error_cell(double variance_bytes2);

/* CPU samples. Shares are of @nr_all, that of the kernel of the total; errors are standard ones. */
enum sample_cell {
	CELL_SAMPLES_NR, CELL_SAMPLES_IN_HOOKS, CELL_SAMPLES_MISSED, CELL_SAMPLES_TOTAL,
	CELL_SAMPLES_PERCENT, CELL_SAMPLES_ERROR, CELL_SAMPLES_TOTAL_PERCENT, CELL_SAMPLES_SELF_NS,
	CELL_SAMPLES_TOTAL_NS, CELL_SAMPLES_KERNEL_NS, CELL_SAMPLES_TOTAL_KERNEL_NS,
	CELL_SAMPLES_KERNEL_PERCENT,
	CELL_SAMPLES_WAITING, CELL_SAMPLES_TOTAL_WAITING, CELL_SAMPLES_READY, CELL_SAMPLES_TOTAL_READY,
};

/* Texts about a function. MODULE: base name of its file; SOURCE: "pool.cpp:31". */
enum function_cell { CELL_NAME, CELL_MODULE, CELL_FILE, CELL_LINE, CELL_SOURCE };
struct value function_cell(struct function *function, enum function_cell cell);

/* The least, mean or most of one of several runs. Counts and bytes are whole numbers, except their means. */
enum part_cell { CELL_PART_MIN, CELL_PART_MEAN, CELL_PART_MAX };
struct value part_cell(const struct part_range *range, enum part_cell cell, enum unit unit);

/* The process of a row, or also its thread. */
enum who_cell {
	WHO_PID, WHO_RANK, WHO_NR_RANKS, WHO_PROGRAM, WHO_RUN, WHO_RUN_NUMBER, WHO_TID, WHO_THREAD_NAME,
};
/* @thread: NULL: not known, which leaves its cells empty. */
struct value who_cell(const struct process *process, const struct thread *thread, enum who_cell cell);

/* Columns of a member that points to a function, or a process. NULL leaves the cell empty. */
#define MEMBER_FUNCTION(type, member, cell) member_function_cell, offsetof(type, member) << 8 | (cell)
#define MEMBER_PROCESS(type, member, cell) member_process_cell, offsetof(type, member) << 8 | (cell)
struct value member_function_cell(const struct column *column, const void *row);
struct value member_process_cell(const struct column *column, const void *row);

/* Which of several runs: its path, or its place among them from 1 on. */
struct value run_cell(const struct model *model, uint32_t run, enum who_cell cell);

#define WHO_RUN_COLUMNS(get) \
	{ "run", "Run", COLUMN_LEFT | COLUMN_RUNS, get, WHO_RUN }, \
	{ "run_number", "Run", COLUMN_TEXT, get, WHO_RUN_NUMBER }

/*
 * @part of @whole in percent. Empty if @part is visibly larger: the hooks' cost was subtracted from both, and
 * it is uncertain.
 */
struct value share_cell(double part, double whole);

/* The begin of a row of a function, a call path or an edge. The facts_ getters of columns show it. */
struct facts {
	struct function *function;
	struct call_stats stats;
	const struct heap_stats *heap;		/* NULL: not recorded */
	const struct sample_stats *samples;
	uint64_t nr_samples;			/* shares of samples are of these */
	double samples_ns;
	double whole_ns;			/* shares of times are of this */
};
struct value facts_function(const struct column *column, const void *row);
struct value facts_stats(const struct column *column, const void *row);
struct value facts_share(const struct column *column, const void *row);
struct value facts_heap(const struct column *column, const void *row);
struct value facts_samples(const struct column *column, const void *row);
/* "hooks", "samples", or "hooks+samples" if the first calls were timed; empty: no time is known. */
struct value facts_time_source(const struct column *column, const void *row);

#define FACTS_SOURCE \
	{ "module", "Module", COLUMN_LEFT, facts_function, CELL_MODULE }, \
	{ "file", "File", COLUMN_LEFT, facts_function, CELL_FILE }, \
	{ "line", "Line", 0, facts_function, CELL_LINE }
#define FACTS_HEAP \
	{ "alloc_calls", "Allocs", COLUMN_SUMS, facts_heap, CELL_ALLOC_CALLS }, \
	{ "alloc_bytes", "Alloc", COLUMN_SUMS, facts_heap, CELL_ALLOC_BYTES }, \
	{ "free_calls", "Frees", COLUMN_SUMS, facts_heap, CELL_FREE_CALLS }, \
	{ "freed_bytes", "Freed", COLUMN_SUMS, facts_heap, CELL_FREED_BYTES }
#define FACTS_LIVE_HEAP \
	{ "temporary_calls", "Temporary", COLUMN_SUMS, facts_heap, CELL_TEMPORARY_CALLS }, \
	{ "peak_heap_bytes", "At peak", COLUMN_SUMS, facts_heap, CELL_PEAK_BYTES }, \
	{ "peak_heap_blocks", "Blocks", COLUMN_SUMS, facts_heap, CELL_PEAK_CALLS }, \
	{ "not_freed_bytes", "Not freed", COLUMN_SUMS, facts_heap, CELL_NOT_FREED_BYTES }, \
	{ "not_freed_blocks", "Blocks", COLUMN_SUMS, facts_heap, CELL_NOT_FREED_CALLS }
/* By samples of time. */
#define FACTS_WAITS \
	{ "waiting_self_ns", "Self waiting", COLUMN_SUMS | COLUMN_WAITS, facts_samples, \
	  CELL_SAMPLES_WAITING }, \
	{ "waiting_total_ns", "Waiting", COLUMN_WAITS, facts_samples, CELL_SAMPLES_TOTAL_WAITING }, \
	{ "ready_self_ns", "Self ready", COLUMN_SUMS | COLUMN_WAITS, facts_samples, CELL_SAMPLES_READY }, \
	{ "ready_total_ns", "Ready", COLUMN_WAITS, facts_samples, CELL_SAMPLES_TOTAL_READY }
#define FACTS_ERRORS \
	{ "self_error_ns", COLUMN_ERROR, 0, facts_stats, CELL_SELF_ERROR }, \
	{ "total_error_ns", COLUMN_ERROR, 0, facts_stats, CELL_TOTAL_ERROR }
#define FACTS_DOUBTS \
	{ "self_is_doubtful", "", 0, facts_stats, CELL_SELF_DOUBTFUL }, \
	{ "total_is_doubtful", "", 0, facts_stats, CELL_TOTAL_DOUBTFUL }, \
	{ "self_doubt_ns", COLUMN_ERROR, 0, facts_stats, CELL_SELF_DOUBT }, \
	{ "total_doubt_ns", COLUMN_ERROR, 0, facts_stats, CELL_TOTAL_DOUBT }

/*
 * Calls, self and total time of each of several runs, by a getter that returns runs_cell().
 * @total_mean_flag: COLUMN_SPARE or 0.
 */
struct value runs_cell(const struct call_stats *stats, struct part_range range, size_t nr_runs, size_t index);
/* Indexes of such columns: the number's place in a part for parts_range() times PART_CELLS, and the cell. */
enum { PART_CELLS = 4, RUNS_CALLS = 0, RUNS_SELF = PART_CELLS, RUNS_TOTAL = 2 * PART_CELLS };
#define RUNS_COLUMNS(get, total_mean_flag) \
	{ "calls_run_min", "least", COLUMN_SPARE | COLUMN_RUNS, get, RUNS_CALLS | CELL_PART_MIN }, \
	{ "calls_run_mean", "Calls/run", COLUMN_RUNS, get, RUNS_CALLS | CELL_PART_MEAN }, \
	{ "calls_run_max", "most", COLUMN_SPARE | COLUMN_RUNS, get, RUNS_CALLS | CELL_PART_MAX }, \
	{ "self_run_min_ns", "least", COLUMN_RUNS, get, RUNS_SELF | CELL_PART_MIN }, \
	{ "self_run_mean_ns", "Self/run", COLUMN_RUNS, get, RUNS_SELF | CELL_PART_MEAN }, \
	{ "self_run_max_ns", "most", COLUMN_RUNS, get, RUNS_SELF | CELL_PART_MAX }, \
	{ "total_run_min_ns", "least", COLUMN_SPARE | COLUMN_RUNS, get, RUNS_TOTAL | CELL_PART_MIN }, \
	{ "total_run_mean_ns", "Total/run", total_mean_flag | COLUMN_RUNS, get, \
	  RUNS_TOTAL | CELL_PART_MEAN }, \
	{ "total_run_max_ns", "most", COLUMN_SPARE | COLUMN_RUNS, get, RUNS_TOTAL | CELL_PART_MAX }
