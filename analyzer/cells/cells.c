/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cells of functions and call paths. */
#include "analyzer/cells/cells.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/base/names.h"
#include "analyzer/model/hook_costs.h"
#include "analyzer/model/resolve.h"
#include "analyzer/read/samples_read.h"

#define KNOWN_WITHIN 1.05	/* a percentile that may be less by more is marked as a bound */

struct value share_cell(double part, double whole)
{
	return whole > 0 && part <= 1.005 * whole ? value_real(UNIT_PERCENT, fmin(100 * part / whole, 100))
						  : value_empty();
}

static struct value count_cell(uint64_t count)
{
	return value_integer(UNIT_COUNT, (int64_t)count);
}

/* A function that was only seen in a stack, by no hook, has an unknown number of calls. */
static struct value calls_cell(const struct call_stats *stats, uint64_t count)
{
	return stats->calls && !stats->lacks_calls ? count_cell(count) : value_empty();
}

static struct value doubtful_cell(struct value value, bool is_doubtful)
{
	value.is_doubtful = is_doubtful;
	return value;
}

/* A time by samples has a standard error instead of a mark of doubt. */
static struct value time_cell(double ns, bool is_sampled, bool is_doubtful)
{
	struct value value = ns_cell(ns);

	value.is_sampled = is_sampled;
	value.is_doubtful = is_doubtful && !is_sampled;
	return value;
}

static struct value self_cell(const struct call_stats *stats)
{
	struct value value =
		time_cell(stats->self_ns, call_stats_sample_self(stats), hook_costs_hide_self(stats));

	value.is_bound = stats->holds_counted && !value.is_sampled && !value.is_doubtful;
	return value;
}

struct value call_cell(const struct call_stats *stats, double ns)
{
	return doubtful_cell(ns_cell(ns), hook_costs_hide_call(stats, ns));
}

struct value percentile_cell(const struct call_stats *stats, double most_ns, double least_ns)
{
	struct value value = call_cell(stats, most_ns);

	value.is_bound = !value.is_doubtful && least_ns < most_ns / KNOWN_WITHIN;
	return value;
}

static struct value mean_cell(const struct call_stats *stats)
{
	double mean_ns = call_stats_mean_ns(stats);

	if (stats->lacks_calls || !call_stats_know_total(stats))
		return value_empty();
	if (call_stats_are_counted(stats)) {
		struct value value = value_real(UNIT_NS, fmax(mean_ns, 0));

		value.is_sampled = true;
		return call_stats_know_self(stats) ? value : value_empty();
	}
	return doubtful_cell(value_real(UNIT_NS, mean_ns < 0 ? 0 : mean_ns), hook_costs_hide_total(stats));
}

/* If all calls together are in doubt, the longest is too. */
static struct value max_cell(const struct call_stats *stats)
{
	struct value value = call_cell(stats, stats->net_max_ns);

	value.is_doubtful |= hook_costs_hide_total(stats);
	return value;
}

/* At least as much as the estimate is below 0. */
static struct value doubt_cell(double ns, double doubt_ns)
{
	return doubt_ns > 0 ? ns_cell(ceil(fmax(doubt_ns, -ns))) : value_empty();
}

/* The standard error of a time by samples, and of what was subtracted from it for hooks. */
static struct value error_cell(double variance_ns2, double doubt_ns)
{
	return variance_ns2 > 0 ? ns_cell(sqrt(variance_ns2 + doubt_ns * doubt_ns)) : value_empty();
}

struct value stats_cell(const struct call_stats *stats, enum stats_cell cell)
{
	bool timed = call_stats_know_self(stats), total_timed = call_stats_know_total(stats);

	if (call_stats_are_counted(stats) && (cell == CELL_MIN || cell == CELL_MAX || cell == CELL_STDDEV ||
					       cell == CELL_OPEN_CALLS))
		return value_empty(); /* of the first calls alone, or of those with a frame */
	switch (cell) {
	case CELL_CALLS:
		return calls_cell(stats, stats->calls);
	case CELL_OPEN_CALLS:
		return calls_cell(stats, stats->open_calls);
	case CELL_TIMED_CALLS:
		return calls_cell(stats, stats->timed_calls);
	case CELL_SELF:
		return timed ? self_cell(stats) : value_empty();
	case CELL_TOTAL:
		return total_timed ? time_cell(stats->total_ns, call_stats_are_counted(stats),
					       hook_costs_hide_total(stats)) : value_empty();
	case CELL_MEAN:
		return mean_cell(stats);
	case CELL_MIN:
		return call_cell(stats, stats->net_min_ns);
	case CELL_MAX:
		return max_cell(stats);
	case CELL_STDDEV:
		return value_real(UNIT_NS, call_stats_stddev_ns(stats));
	case CELL_SELF_DOUBTFUL:
		return timed ? value_integer(UNIT_NONE, hook_costs_hide_self(stats)) : value_empty();
	case CELL_TOTAL_DOUBTFUL:
		return total_timed ? value_integer(UNIT_NONE, hook_costs_hide_total(stats)) : value_empty();
	case CELL_SELF_DOUBT:
		return timed ? doubt_cell(stats->self_ns, stats->self_doubt_ns) : value_empty();
	case CELL_TOTAL_DOUBT:
		return total_timed ? doubt_cell(stats->total_ns, stats->total_doubt_ns) : value_empty();
	case CELL_SELF_ERROR:
		return error_cell(stats->self_variance_ns2,
				  call_stats_sample_self(stats) ? stats->self_doubt_ns : 0);
	case CELL_TOTAL_ERROR:
		return error_cell(stats->total_variance_ns2,
				  call_stats_are_counted(stats) ? stats->total_doubt_ns : 0);
	}
	return value_empty();
}

struct value nested_cell(const struct call_stats *stats, uint64_t primitive, enum nested_cell cell)
{
	struct value value = stats_cell(stats, CELL_CALLS);
	bool is_known = value.type != VALUE_EMPTY && primitive && !call_stats_are_counted(stats);

	switch (cell) {
	case CELL_NESTED_CALLS:
		value.primitive = is_known && primitive < stats->calls ? primitive : 0;
		return value;
	case CELL_PRIMITIVE_CALLS:
		return is_known ? count_cell(primitive) : value_empty();
	case CELL_SELF_PER_CALL:
		value = stats_cell(stats, CELL_SELF);
		primitive = stats->calls;
		break;
	case CELL_TOTAL_PER_CALL:
		value = stats_cell(stats, CELL_TOTAL);
		break;
	}
	if (value.type == VALUE_EMPTY || !is_known)
		return value_empty();
	value.type = VALUE_REAL;
	value.real = (double)value.integer / (double)primitive;
	return value;
}

struct value bytes_error_cell(double variance_bytes2)
{
	/* the root of a sum may be more than an integer can hold */
	return value_integer(UNIT_BYTES, (int64_t)fmin(sqrt(fmax(variance_bytes2, 0)), 0x1p62));
}

/* Frees are sampled with the block, not where they happen. */
static bool is_of_frees(enum heap_cell cell)
{
	return cell == CELL_FREE_CALLS || cell == CELL_FREED_BYTES || cell == CELL_FAILED_CALLS;
}

static struct value sample_cell(const struct sample_stats *samples, uint64_t nr_all, double all_ns,
				enum sample_cell cell)
{
	switch (cell) {
	case CELL_SAMPLES_NR:
		return count_cell(samples->nr);
	case CELL_SAMPLES_IN_HOOKS:
		return count_cell(samples->in_hooks);
	case CELL_SAMPLES_MISSED:
		return count_cell(samples->missed);
	case CELL_SAMPLES_TOTAL:
		return count_cell(samples->total_nr);
	case CELL_SAMPLES_PERCENT:
		return value_real(UNIT_PERCENT, nr_all ? 100 * samples->ns / all_ns : NAN);
	case CELL_SAMPLES_ERROR:
		return value_real(UNIT_PERCENT, 100 * sample_share_error(samples->nr, nr_all));
	case CELL_SAMPLES_TOTAL_PERCENT:
		return value_real(UNIT_PERCENT, nr_all ? 100 * samples->total_ns / all_ns : NAN);
	case CELL_SAMPLES_SELF_NS:
		return ns_cell(samples->ns);
	case CELL_SAMPLES_TOTAL_NS:
		return ns_cell(samples->total_ns);
	case CELL_SAMPLES_KERNEL_NS:
		return ns_cell(samples->kernel_ns);
	case CELL_SAMPLES_TOTAL_KERNEL_NS:
		return ns_cell(samples->total_kernel_ns);
	case CELL_SAMPLES_KERNEL_PERCENT:
		return value_real(UNIT_PERCENT, 100 * samples->total_kernel_ns / samples->total_ns);
	case CELL_SAMPLES_WAITING:
		return ns_cell(samples->waiting_ns);
	case CELL_SAMPLES_TOTAL_WAITING:
		return ns_cell(samples->total_waiting_ns);
	case CELL_SAMPLES_READY:
		return ns_cell(samples->ready_ns);
	case CELL_SAMPLES_TOTAL_READY:
		return ns_cell(samples->total_ready_ns);
	}
	return value_empty();
}

struct value heap_cell(const struct heap_stats *heap, enum heap_cell cell)
{
	if ((cell >= CELL_LIVE && !heap->live_records) || (cell >= CELL_SAMPLED && !heap->nr_samples) ||
	    (heap->nr_samples && is_of_frees(cell)))
		return value_empty();
	switch (cell) {
	case CELL_ALLOC_CALLS:
		return count_cell(heap->alloc_calls);
	case CELL_ALLOC_BYTES:
		return value_integer(UNIT_BYTES, (int64_t)heap->alloc_bytes);
	case CELL_FREE_CALLS:
		return count_cell(heap->free_calls);
	case CELL_FREED_BYTES:
		return value_integer(UNIT_BYTES, (int64_t)heap->freed_bytes);
	case CELL_FAILED_CALLS:
		return count_cell(heap->failed_calls);
	case CELL_LARGEST_BYTES:
		return value_integer(UNIT_BYTES, (int64_t)heap->largest_bytes);
	case CELL_TEMPORARY_CALLS:
		return count_cell(heap->temporary_calls);
	case CELL_TEMPORARY_PERCENT:
		return heap->alloc_calls ? value_real(UNIT_PERCENT, 100 * (double)heap->temporary_calls /
						      (double)heap->alloc_calls) : value_empty();
	case CELL_PEAK_CALLS:
		return count_cell(heap->peak_calls);
	case CELL_PEAK_BYTES:
		return value_integer(UNIT_BYTES, (int64_t)heap->peak_bytes);
	case CELL_NOT_FREED_CALLS:
		return count_cell(heap->not_freed_calls);
	case CELL_NOT_FREED_BYTES:
		return value_integer(UNIT_BYTES, (int64_t)heap->not_freed_bytes);
	case CELL_SAMPLES:
		return count_cell(heap->nr_samples);
	case CELL_ALLOC_ERROR:
		return bytes_error_cell(heap->alloc_variance_bytes2);
	case CELL_PEAK_ERROR:
		return bytes_error_cell(heap->peak_variance_bytes2);
	case CELL_NOT_FREED_ERROR:
		return bytes_error_cell(heap->not_freed_variance_bytes2);
	}
	return value_empty();
}

struct value function_cell(struct function *function, enum function_cell cell)
{
	static char source[PATH_MAX + 16];	/* one cell lives until the next is asked for */
	struct value name = value_text(function->name);

	if (cell >= CELL_FILE)
		resolve_source(function);
	switch (cell) {
	case CELL_NAME:
		name.apart = function_apart(function);
		name.is_literal = function->region;
		return name;
	case CELL_MODULE:
		return value_text(function->object ? path_base(function->object->path) : NULL);
	case CELL_FILE:
		return value_text(path_in_data(function->file));
	case CELL_LINE:
		return function->line ? value_integer(UNIT_NONE, function->line) : value_empty();
	case CELL_SOURCE:
		if (!function->file)
			return value_empty();
		snprintf(source, sizeof(source), "%s:%u", path_in_text(function->file), function->line);
		return value_text(source);
	}
	return value_empty();
}

struct value part_cell(const struct part_range *range, enum part_cell cell, enum unit unit)
{
	double number = cell == CELL_PART_MIN ? range->min : cell == CELL_PART_MAX ? range->max : range->mean;

	if (unit == UNIT_NS)
		return ns_cell(number);
	return cell == CELL_PART_MEAN ? value_real(unit, number) : value_integer(unit, (int64_t)number);
}

struct value run_cell(const struct model *model, uint32_t run, enum who_cell cell)
{
	return cell == WHO_RUN_NUMBER ? value_integer(UNIT_NONE, run + 1) : value_text(model->run_names[run]);
}

struct value who_cell(const struct process *process, const struct thread *thread, enum who_cell cell)
{
	switch (cell) {
	case WHO_PID:
		return value_integer(UNIT_NONE, process->header.pid);
	case WHO_RANK:
		return process->header.rank < 0 ? value_empty()
						: value_integer(UNIT_NONE, process->header.rank);
	case WHO_NR_RANKS:
		return process->header.nr_ranks > 0 ? value_integer(UNIT_NONE, process->header.nr_ranks)
						    : value_empty();
	case WHO_PROGRAM:
		return value_text(process->header.program);
	case WHO_RUN:
	case WHO_RUN_NUMBER:
		return run_cell(process->model, process->run, cell);
	case WHO_TID:
		return thread ? value_integer(UNIT_NONE, thread->tid) : value_empty();
	case WHO_THREAD_NAME:
		return thread && thread->name[0] ? value_text(thread->name) : value_empty();
	}
	return value_empty();
}

struct value member_function_cell(const struct column *column, const void *row)
{
	struct function *function = *(struct function *const *)((const char *)row + (column->index >> 8));

	return function ? function_cell(function, column->index & 255) : value_empty();
}

struct value member_process_cell(const struct column *column, const void *row)
{
	const void *member = (const char *)row + (column->index >> 8);
	const struct process *process = *(const struct process *const *)member;

	return process ? who_cell(process, NULL, column->index & 255) : value_empty();
}

struct value facts_function(const struct column *column, const void *row)
{
	return function_cell(((const struct facts *)row)->function, column->index);
}

struct value facts_stats(const struct column *column, const void *row)
{
	return stats_cell(&((const struct facts *)row)->stats, column->index);
}

struct value facts_share(const struct column *column, const void *row)
{
	const struct facts *facts = row;
	struct value part = stats_cell(&facts->stats, column->index);

	return part.type == VALUE_EMPTY ? part : share_cell(value_number(part), facts->whole_ns);
}

struct value facts_heap(const struct column *column, const void *row)
{
	const struct facts *facts = row;

	return facts->heap ? heap_cell(facts->heap, column->index) : value_empty();
}

struct value facts_samples(const struct column *column, const void *row)
{
	const struct facts *facts = row;

	return sample_cell(facts->samples, facts->nr_samples, facts->samples_ns, column->index);
}

struct value facts_time_source(const struct column *column, const void *row)
{
	const struct call_stats *stats = &((const struct facts *)row)->stats;

	if (!call_stats_know_self(stats) && !call_stats_know_total(stats))
		return value_empty();
	if (!call_stats_sample_self(stats))
		return value_text("hooks");
	return value_text(stats->timed_calls ? "hooks+samples" : "samples");
}

struct value runs_cell(const struct call_stats *stats, struct part_range range, size_t nr_runs, size_t index)
{
	const double sums[] = { (double)stats->calls, stats->self_ns, stats->total_ns };
	bool is_count = index < RUNS_SELF;
	bool is_moved = index < RUNS_TOTAL ? call_stats_moved_self(stats) : call_stats_moved_total(stats);

	if (!is_count && (!call_stats_know_total(stats) || isnan(call_stats_mean_ns(stats))))
		return value_empty();
	/* Samples give the time of all runs together. That of each is not known. */
	if (!is_count && (is_moved || stats->self_variance_ns2 > 0 || call_stats_are_counted(stats)))
		range = (struct part_range){ NAN, sums[index / PART_CELLS] / (double)nr_runs, NAN };
	return part_cell(&range, (enum part_cell)(index % PART_CELLS), is_count ? UNIT_COUNT : UNIT_NS);
}
