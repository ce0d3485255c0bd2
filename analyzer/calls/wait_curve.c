/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between two rows CPU time, and time without a processor, grow evenly in code and in each kind of wait. */
#include "analyzer/calls/wait_curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/calls/slices.h"
#include "analyzer/log/logfile.h"

bool wait_is_blocked(enum log_wait_kind kind)
{
	switch (kind) {
	case LOG_WAIT_LOCK:
	case LOG_WAIT_CONDITION:
	case LOG_WAIT_SEMAPHORE:
	case LOG_WAIT_THREAD:
	case LOG_WAIT_CHILD:
	case LOG_WAIT_SLEEP:
	case LOG_WAIT_EVENT:
	case LOG_WAIT_FUTEX:
		return true;
	default:
		return false;
	}
}

bool wait_is_blocked_throughout(enum log_wait_kind kind)
{
	return wait_is_blocked(kind) && kind != LOG_WAIT_EVENT && kind != LOG_WAIT_CHILD;
}

static enum log_wait_kind kind_of(const struct slice *slice)
{
	struct log_node node;

	if (slice->node->function)
		return slice->node->function->wait;
	logfile_node(slice->thread->process->log, (uint64_t)slice->ref << LOG_REF_SHIFT, &node);
	if (!log_is_wait(node.function_addr))
		return 0;
	return node.function_addr >> LOG_WAIT_KIND_SHIFT & LOG_WAIT_KIND_MASK;
}

/*
 * Where a thread may be blocked. A library call that waits for data or for other threads may be, but may also
 * copy or spin. So may a thread that is in no call, as one of a team without work. The program's own code is
 * not blocked.
 */
enum zone { ZONE_WAIT, ZONE_OPEN, NR_ZONES, ZONE_CODE = NR_ZONES };

struct span {
	int64_t start, end;
	enum zone zone;
};

/* How long the thread had been in each zone at any time. */
struct zones {
	struct curve *waits;
	double ns[NR_ZONES];
	int64_t last;			/* the end of the newest span */
	struct span *pending;		/* in an outermost call that has not been read yet */
	size_t nr_pending;
};

static void add_zone(struct zones *zones, struct span span)
{
	const int64_t start = span.start > zones->last ? span.start : zones->last;

	if (start >= span.end)
		return;
	curve_add(zones->waits, start, zones->ns);
	zones->ns[span.zone] += (double)(span.end - start);
	curve_add(zones->waits, span.end, zones->ns);
	zones->last = span.end;
}

static void add_pending(struct zones *zones)
{
	for (size_t i = 0; i < zones->nr_pending; i++)
		add_zone(zones, zones->pending[i]);
	zones->nr_pending = 0;
}

/* Is no recorded call around it in its thread? Counted ones are not seen. */
static bool is_outermost(const struct tree_node *node)
{
	if (!node->parent)
		return false;
	while (!node->starter && node->parent->parent && node->parent->function->is_counted)
		node = node->parent;
	return node->starter || !node->parent->parent;
}

/* Calls come in the order of their ends. */
static void read_waits(struct curve *waits, struct thread *thread, uint32_t tid)
{
	struct process *process = thread->process;
	const bool has_hooks = process->header.has_hooks;
	struct slice_reader *reader =
		has_hooks ? slices_open_thread(thread) : slices_open_waits(process, thread);
	struct zones zones = { .waits = waits, .last = INT64_MIN };
	/* since then it was in no call */
	int64_t outside = thread->nr_threads == 1 ? thread->begin : NO_TIME;
	struct slice slice;

	while (slices_next(reader, &slice)) {
		const enum log_wait_kind kind = slice.tid == tid ? kind_of(&slice) : 0;
		const bool is_own = has_hooks && slice.tid == tid && is_outermost(slice.node);

		if (kind)
			APPEND(zones.pending, zones.nr_pending) = (struct span){
				slice.start, slice.end, wait_is_blocked(kind) ? ZONE_WAIT : ZONE_OPEN };
		if (is_own && outside != NO_TIME)
			add_zone(&zones, (struct span){ outside, slice.start, ZONE_OPEN });
		if (is_own)
			outside = slice.end;
		if (is_own || !has_hooks)
			add_pending(&zones);
	}
	add_pending(&zones);
	free(zones.pending);
	slices_close(reader);
}

static void zones_between(struct curve *waits, int64_t from, int64_t to, double *ns)
{
	double before[NR_ZONES] = { 0 }, after[NR_ZONES] = { 0 };

	if (waits->nr) {
		curve_at(waits, from, before);
		curve_at(waits, to, after);
	}
	for (int i = 0; i < NR_ZONES; i++)
		ns[i] = after[i] - before[i];
	ns[ZONE_CODE] = (double)(to - from) - ns[ZONE_WAIT] - ns[ZONE_OPEN];
}

static double waited_between(struct curve *waits, int64_t from, int64_t to)
{
	double ns[NR_ZONES + 1];

	zones_between(waits, from, to, ns);
	return ns[ZONE_WAIT];
}

/* The growth between two rows, by ns in each zone. */
struct rates {
	double by_ns[NR_ZONES + 1][NR_TIMES];
};

static double rate(double sum, double ns)
{
	return ns > 0 ? sum / ns : 0;
}

/* As much as possible outside of waits: first CPU time, then time without a processor. */
static struct rates rates_of(const double *sums, const double *ns)
{
	double room_ns = ns[ZONE_OPEN] + ns[ZONE_CODE], parts[NR_TIMES], blocked_ns, awake_ns, share;
	struct rates rates;

	for (int i = 0; i < NR_TIMES; i++) {
		parts[i] = ns[ZONE_WAIT] > 0 ? fmin(sums[i], room_ns) : sums[i];
		rates.by_ns[ZONE_WAIT][i] = rate(sums[i] - parts[i], ns[ZONE_WAIT]);
		room_ns = fmax(room_ns - parts[i], 0);
	}
	/* what is left of the room was blocked: in calls that may be, as far as they lasted */
	blocked_ns = fmin(room_ns, ns[ZONE_OPEN]);
	awake_ns = ns[ZONE_OPEN] - blocked_ns;
	share = rate(awake_ns, awake_ns + fmax(ns[ZONE_CODE] - (room_ns - blocked_ns), 0));
	for (int i = 0; i < NR_TIMES; i++) {
		rates.by_ns[ZONE_OPEN][i] = rate(parts[i] * share, ns[ZONE_OPEN]);
		rates.by_ns[ZONE_CODE][i] = rate(parts[i] * (1 - share), ns[ZONE_CODE]);
	}
	return rates;
}

static void add_span(struct curve *refined, struct curve *waits, struct curve *times, size_t row)
{
	const int64_t from = times->times[row - 1], to = times->times[row];
	const double *before = &times->numbers[(row - 1) * NR_TIMES], *now = &times->numbers[row * NR_TIMES];
	double sums[NR_TIMES], numbers[NR_TIMES], ns[NR_ZONES + 1];
	size_t point = curve_find(waits, from);
	struct rates rates;

	for (int i = 0; i < NR_TIMES; i++)
		sums[i] = now[i] - before[i];
	zones_between(waits, from, to, ns);
	rates = rates_of(sums, ns);
	for (; point < waits->nr && waits->times[point] < to; point++) {
		if (waits->times[point] <= from)
			continue;
		zones_between(waits, from, waits->times[point], ns);
		for (int i = 0; i < NR_TIMES; i++) {
			numbers[i] = before[i];
			for (int zone = 0; zone <= ZONE_CODE; zone++)
				numbers[i] += rates.by_ns[zone][i] * ns[zone];
		}
		curve_add(refined, waits->times[point], numbers);
	}
	curve_add(refined, to, now);
}

/* A thread that waits does not run: the CPU time that it cannot have used since a row was missing there. */
static void catch_up(struct curve *times, struct curve *waits, double lag_ns)
{
	for (size_t row = times->nr; row-- > 1;) {
		double *before = &times->numbers[(row - 1) * NR_TIMES], *now = before + NR_TIMES;
		double ns[NR_ZONES + 1], missing_ns;

		zones_between(waits, times->times[row - 1], times->times[row], ns);
		missing_ns = now[TIMES_CPU] - before[TIMES_CPU] - ns[ZONE_OPEN] - ns[ZONE_CODE];
		if (ns[ZONE_WAIT] > 0)
			before[TIMES_CPU] += fmax(fmin(missing_ns, lag_ns), 0);
	}
}

void wait_curve_refine(struct curve *times, struct curve *rows, struct curve *waits, double lag_ns,
		       struct thread *thread, uint32_t tid)
{
	curve_init(rows, NR_TIMES);
	curve_init(waits, NR_ZONES);
	if (times->nr < 2)
		return;
	read_waits(waits, thread, tid);
	catch_up(times, waits, lag_ns);
	*rows = *times;
	curve_init(times, NR_TIMES);
	curve_add(times, rows->times[0], rows->numbers);
	for (size_t row = 1; row < rows->nr; row++)
		add_span(times, waits, rows, row);
}

/* The doubt of a part of the time between two rows. */
static double doubt_within(const struct curve *rows, struct curve *waits, size_t row, int64_t from,
			   int64_t to)
{
	const int64_t begin = rows->times[row - 1], end = rows->times[row];
	const double *before = &rows->numbers[(row - 1) * NR_TIMES], *now = &rows->numbers[row * NR_TIMES];
	const double cpu_ns = now[TIMES_CPU] - before[TIMES_CPU];
	const double outside_ns = (double)(end - begin) - waited_between(waits, begin, end);
	const double part_ns = (double)(to - from) - waited_between(waits, from, to);

	return fmax(fmin(cpu_ns, part_ns) - fmax(cpu_ns - (outside_ns - part_ns), 0), 0);
}

double wait_curve_doubt(const struct curve *rows, struct curve *waits, int64_t from, int64_t to)
{
	double doubt_ns = 0;
	size_t row;

	if (rows->nr < 2)
		return (double)(to - from);
	for (row = curve_find(rows, from); row < rows->nr && from < to; row++) {
		const int64_t end = rows->times[row] < to ? rows->times[row] : to;

		/* whole spans between rows are known */
		if (row == 0)
			doubt_ns += (double)(end - from);
		else if (from > rows->times[row - 1] || end < rows->times[row])
			doubt_ns += doubt_within(rows, waits, row, from, end);
		from = end;
	}
	return doubt_ns + (double)(to - from);
}
