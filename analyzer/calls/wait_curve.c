/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between two rows CPU time, and time without a processor, grow evenly while the thread does not wait. */
#include "analyzer/calls/wait_curve.h"

#include <math.h>
#include <string.h>

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

/* How long the thread had waited at any time. */
static void read_waits(struct curve *waits, struct thread *thread, uint32_t tid)
{
	struct process *process = thread->process;
	struct slice_reader *reader = process->header.has_hooks ? slices_open_thread(thread)
								: slices_open_waits(process, thread);
	int64_t last = INT64_MIN;
	double waited_ns = 0;
	struct slice slice;

	while (slices_next(reader, &slice)) {
		if (slice.tid != tid || !wait_is_blocked(kind_of(&slice)) || slice.start <= last)
			continue;
		curve_add(waits, slice.start, &waited_ns);
		waited_ns += (double)(slice.end - slice.start);
		curve_add(waits, slice.end, &waited_ns);
		last = slice.end;
	}
	slices_close(reader);
}

static double waited_between(struct curve *waits, int64_t from, int64_t to)
{
	double before, after;

	if (!waits->nr)
		return 0;
	curve_at(waits, from, &before);
	curve_at(waits, to, &after);
	return after - before;
}

/* The growth between two rows, by ns outside of waits and within them. */
struct rates {
	double outside[NR_TIMES], within[NR_TIMES];
};

/* As much as possible outside: first CPU time, then time without a processor. */
static struct rates rates_of(const double *sums, double outside_ns, double within_ns)
{
	struct rates rates = { { 0 }, { 0 } };
	double room_ns = outside_ns;

	for (int i = 0; i < NR_TIMES; i++) {
		double part_ns = within_ns > 0 ? fmin(sums[i], room_ns) : sums[i];

		rates.outside[i] = outside_ns > 0 ? part_ns / outside_ns : 0;
		rates.within[i] = within_ns > 0 ? (sums[i] - part_ns) / within_ns : 0;
		room_ns = fmax(room_ns - part_ns, 0);
	}
	return rates;
}

static void add_span(struct curve *refined, struct curve *waits, struct curve *times, size_t row)
{
	const int64_t from = times->times[row - 1], to = times->times[row];
	const double *before = &times->numbers[(row - 1) * NR_TIMES], *now = &times->numbers[row * NR_TIMES];
	const double within_ns = waited_between(waits, from, to);
	double sums[NR_TIMES], numbers[NR_TIMES];
	size_t point = curve_find(waits, from);
	struct rates rates;

	for (int i = 0; i < NR_TIMES; i++)
		sums[i] = now[i] - before[i];
	rates = rates_of(sums, (double)(to - from) - within_ns, within_ns);
	for (; point < waits->nr && waits->times[point] < to; point++) {
		double waited_ns = waited_between(waits, from, waits->times[point]);
		double other_ns = (double)(waits->times[point] - from) - waited_ns;

		if (waits->times[point] <= from)
			continue;
		for (int i = 0; i < NR_TIMES; i++)
			numbers[i] = before[i] + rates.outside[i] * other_ns + rates.within[i] * waited_ns;
		curve_add(refined, waits->times[point], numbers);
	}
	curve_add(refined, to, now);
}

void wait_curve_refine(struct curve *times, struct curve *rows, struct curve *waits, struct thread *thread,
		       uint32_t tid)
{
	curve_init(rows, NR_TIMES);
	curve_init(waits, 1);
	if (times->nr < 2)
		return;
	read_waits(waits, thread, tid);
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
