/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the rows of a thread, those of its process, and the kernel's records of when it ran. */
#include "analyzer/resources/time_curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"

#define UNSEEN_MOST 0.25	/* of the time for which a thread has records */
#define TICK_NS 4e6	/* a running thread's own figures lag by at most that: 250 Hz */

bool thread_is_alone(const struct thread *thread)
{
	return thread->process->nr_threads == 1 && thread->nr_threads == 1;
}

const struct rowset *thread_rowset(const struct process *process, const char *set, uint32_t tid)
{
	for (size_t i = 0; i < process->nr_rowsets; i++)
		if (process->rowsets[i].id == tid && strcmp(process->rowsets[i].set, set) == 0)
			return &process->rowsets[i];
	return NULL;
}

double rowset_growth(const struct rowset *rows, size_t row, int column)
{
	uint64_t now, before;

	if (column < 0 || row == 0)
		return 0;
	now = rowset_value(rows, row, (uint32_t)column);
	before = rowset_value(rows, row - 1, (uint32_t)column);
	if (now == LOG_NONE || before == LOG_NONE)
		return 0;
	return now >= before ? (double)(now - before) : (double)now;
}

/* From the begin of a thread, which had used @begin_ns: before its first row it ran, up to its CPU time. */
static void begin_times(struct curve *curve, int64_t begin, int64_t first, double begin_ns, double cpu_ns)
{
	double numbers[NR_TIMES] = { 0, 0 };

	if (begin >= first)
		return;
	numbers[TIMES_CPU] = fmin(fmax(begin_ns, cpu_ns - (double)(first - begin)), cpu_ns);
	curve_add(curve, begin, numbers);
}

static void read_times(struct curve *times, struct thread *thread, uint32_t tid)
{
	struct process *process = thread->process;
	const struct rowset *rows = thread_rowset(process, "thread", tid);
	int cpu = rows ? rowset_column(rows, "thread_cpu_ns") : -1,
	    wait = rows ? rowset_column(rows, "thread_wait_ns") : -1;
	double numbers[NR_TIMES] = { 0, 0 };

	if (cpu < 0 || wait < 0)
		return;
	for (size_t row = 0; row < rows->nr_rows; row++) {
		int64_t time = row_time(process, rows, row);

		if (row == 0) {
			numbers[TIMES_CPU] = (double)rowset_value(rows, 0, (uint32_t)cpu);
			numbers[TIMES_WAIT] = (double)rowset_value(rows, 0, (uint32_t)wait);
			begin_times(times, thread->begin == NO_TIME ? process->start : thread->begin,
				    time, thread->serial ? 0 : (double)process->header.start_cpu_ns,
				    numbers[TIMES_CPU]);
		}
		numbers[TIMES_CPU] += rowset_growth(rows, row, cpu);
		numbers[TIMES_WAIT] += rowset_growth(rows, row, wait);
		curve_add(times, time, numbers);
	}
}

/*
 * If a process has one thread, the clock of the process is exact. A thread's own figures lag by the kernel's
 * tick.
 */
static void read_exact_cpu(struct curve *times, struct process *process, const struct rowset *rows)
{
	int cpu = rowset_column(rows, "cpu_ns");
	double numbers[NR_TIMES], cpu_ns = 0;
	struct curve exact;

	if (cpu < 0 || !times->nr)
		return;
	curve_init(&exact, NR_TIMES);
	for (size_t row = 0; row < rows->nr_rows; row++) {
		int64_t time = row_time(process, rows, row);

		curve_at(times, time, numbers);
		if (row == 0) {
			cpu_ns = (double)rowset_value(rows, 0, (uint32_t)cpu);
			begin_times(&exact, process->start, time, (double)process->header.start_cpu_ns,
				    cpu_ns);
		}
		cpu_ns += rowset_growth(rows, row, cpu);
		numbers[TIMES_CPU] = cpu_ns;
		curve_add(&exact, time, numbers);
	}
	curve_release(times);
	*times = exact;
}

/* CPU time of the process, from @from on; its rows come more often than those of threads. */
static double process_cpu_since(struct process *process, const struct rowset *rows, int64_t from,
				int64_t *last)
{
	int cpu = rowset_column(rows, "cpu_ns");
	double cpu_ns = 0;

	*last = from;
	for (size_t row = rows->nr_rows; cpu >= 0 && row-- > 1;) {
		int64_t begin = row_time(process, rows, row - 1),
			end = row_time(process, rows, row);

		if (end <= from)
			break;
		*last = end > *last ? end : *last;
		cpu_ns += rowset_growth(rows, row, cpu) * (double)(end - (begin > from ? begin : from)) /
			  (double)(end - begin);
	}
	return cpu_ns;
}

/*
 * After its last row a thread goes on as before it, while its process has rows and uses CPU time. Without
 * this it would seem to be blocked up to its end.
 */
static void add_tail(struct curve *times, struct thread *thread, uint32_t tid, const struct rowset *rows)
{
	double numbers[NR_TIMES], most_ns, passed_ns, share;
	int64_t from, to, last;

	if (times->nr < 2)
		return;
	from = times->times[times->nr - 1];
	passed_ns = (double)(from - times->times[times->nr - 2]);
	most_ns = process_cpu_since(thread->process, rows, from, &last);
	to = thread->end != NO_TIME && thread->tid == tid && thread->end < last ? thread->end : last;
	if (to <= from || !(passed_ns > 0))
		return;
	share = (double)(to - from) / passed_ns;
	for (int i = 0; i < NR_TIMES; i++) {
		double now = times->numbers[(times->nr - 1) * NR_TIMES + (size_t)i];

		numbers[i] = now + share * (now - times->numbers[(times->nr - 2) * NR_TIMES + (size_t)i]);
		if (i == TIMES_CPU)
			numbers[i] = fmin(numbers[i], now + most_ns);
	}
	curve_add(times, to, numbers);
}

/* How long the thread had been off its processor, and for how long records say whether it was. */
enum { OFF_BLOCKED, OFF_PREEMPTED, OFF_SEEN, NR_OFFS };

static const char *const off_columns[] = { "thread_blocked_ns", "thread_preempted_ns", "thread_unseen_ns" };

/* By the kernel's records. Return: false if there are none */
static bool read_off(struct curve *off, struct process *process, uint32_t tid)
{
	const struct rowset *rows = thread_rowset(process, "thread_off", tid);
	double numbers[NR_OFFS] = { 0 };
	int columns[NR_OFFS];

	curve_init(off, NR_OFFS);
	for (int i = 0; rows && i < NR_OFFS; i++)
		columns[i] = rowset_column(rows, off_columns[i]);
	for (size_t row = 0; rows && row < rows->nr_rows; row++) {
		int64_t time = row_time(process, rows, row);
		double passed = row ? (double)(time - row_time(process, rows, row - 1)) : 0;

		numbers[OFF_BLOCKED] += rowset_growth(rows, row, columns[OFF_BLOCKED]);
		numbers[OFF_PREEMPTED] += rowset_growth(rows, row, columns[OFF_PREEMPTED]);
		numbers[OFF_SEEN] += fmax(passed - rowset_growth(rows, row, columns[OFF_SEEN]), 0);
		curve_add(off, time, numbers);
	}
	return off->nr > 1;
}

/*
 * How long the thread waited for a processor while it was off, in a span between two rows: first the time for
 * which it was preempted, the rest evenly over the time that it was blocked.
 */
static double wait_while_off(const double *off, const double *span_off, double span_wait)
{
	double rest = fmax(fmin(span_wait - span_off[OFF_PREEMPTED], span_off[OFF_BLOCKED]), 0);

	return off[OFF_PREEMPTED] + (rest > 0 ? rest * off[OFF_BLOCKED] / span_off[OFF_BLOCKED] : 0);
}

/* Differences of @off between two times. */
static void off_between(struct curve *off, int64_t from, int64_t to, double *numbers)
{
	double before[NR_OFFS];

	curve_at(off, from, before);
	curve_at(off, to, numbers);
	for (int i = 0; i < NR_OFFS; i++)
		numbers[i] -= before[i];
}

static double on_ns(const double *off)
{
	return off[OFF_SEEN] - off[OFF_BLOCKED] - off[OFF_PREEMPTED];
}

/*
 * A span between two rows. Records show when the thread ran. They may lack a part of the span, as before
 * the first record, or if some were lost. The rest of the sums goes there, evenly.
 */
static void refine_span(struct curve *exact, struct curve *off, int64_t from, int64_t to, const double *sums,
			double stolen_ns, size_t *point, double *numbers)
{
	double span[NR_OFFS], now[NR_OFFS], begin[NR_TIMES], unseen_ns, wait_rate, cpu_rate, stolen;
	int64_t time = from;

	memcpy(begin, numbers, sizeof(begin));
	off_between(off, from, to, span);
	unseen_ns = fmax((double)(to - from) - span[OFF_SEEN], 0);
	cpu_rate = unseen_ns > 0 ? fmin(fmax((sums[TIMES_CPU] - on_ns(span)) / unseen_ns, 0), 1) : 0;
	wait_rate = sums[TIMES_WAIT] / (double)(to - from);
	stolen = on_ns(span) > 0 ? fmin(stolen_ns / on_ns(span), 1) : 0;
	while (time < to) {
		while (*point < off->nr && off->times[*point] <= time)
			++*point;
		time = *point < off->nr && off->times[*point] < to ? off->times[*point] : to;
		off_between(off, from, time, now);
		unseen_ns = fmax((double)(time - from) - now[OFF_SEEN], 0);
		numbers[TIMES_CPU] = begin[TIMES_CPU] + (1 - stolen) * on_ns(now) + cpu_rate * unseen_ns;
		numbers[TIMES_WAIT] = begin[TIMES_WAIT] + wait_rate * unseen_ns + stolen * on_ns(now) +
				      wait_while_off(now, span, wait_rate * span[OFF_SEEN]);
		curve_add(exact, time, numbers);
	}
}

/* After its last row, a thread's records alone say when it ran. */
static void add_end(struct curve *exact, struct curve *off, int64_t from, size_t point, double *numbers)
{
	double begin[NR_TIMES], now[NR_OFFS];

	memcpy(begin, numbers, sizeof(begin));
	for (; point < off->nr; point++) {
		if (off->times[point] <= from)
			continue;
		off_between(off, from, off->times[point], now);
		numbers[TIMES_CPU] = begin[TIMES_CPU] + fmax(on_ns(now), 0);
		numbers[TIMES_WAIT] = begin[TIMES_WAIT] + now[OFF_PREEMPTED];
		curve_add(exact, off->times[point], numbers);
	}
}

/*
 * How much of the time on its processor, up to each row, the thread did not run: the host took the processor
 * away. CPU time that rows lack because they lag, they have later. [times->nr], to be freed.
 */
static double *stolen_times(struct curve *off, const struct curve *times)
{
	double *stolen = xcalloc(times->nr, sizeof(*stolen)), now[NR_OFFS], least_ns = INFINITY, ran_ns;

	for (size_t i = times->nr; i-- > 0;) {
		off_between(off, times->times[0], times->times[i], now);
		ran_ns = times->numbers[i * NR_TIMES + TIMES_CPU] - times->numbers[TIMES_CPU];
		least_ns = fmin(least_ns, on_ns(now) - ran_ns);
		stolen[i] = fmax(least_ns, 0);
	}
	return stolen;
}

/*
 * A thread that ended before any of its rows was read: records alone say when it ran. From its begin to the
 * first of them it did as later on; if that is a larger part, nothing is known.
 */
static void read_by_records(struct curve *times, struct curve *off, int64_t begin)
{
	const int64_t first = off->times[0];
	double numbers[NR_TIMES] = { 0 }, all[NR_OFFS], now[NR_OFFS], part;

	off_between(off, first, off->times[off->nr - 1], all);
	part = begin < first ? (double)(first - begin) / all[OFF_SEEN] : 0;
	if (!(all[OFF_SEEN] > 0) || part > UNSEEN_MOST)
		return;
	if (begin < first)
		curve_add(times, begin, numbers);
	for (size_t point = 0; point < off->nr; point++) {
		off_between(off, first, off->times[point], now);
		numbers[TIMES_CPU] = part * on_ns(all) + on_ns(now);
		numbers[TIMES_WAIT] = part * all[OFF_PREEMPTED] + now[OFF_PREEMPTED];
		curve_add(times, off->times[point], numbers);
	}
}

/* Rows give the sums. If there are records of context switches, they give the times. Return: there are */
static bool read_exact_times(struct curve *times, struct thread *thread, uint32_t tid)
{
	struct curve off, exact;
	double numbers[NR_TIMES], *stolen;
	size_t point = 0;

	if (!read_off(&off, thread->process, tid)) {
		curve_release(&off);
		return false;
	}
	if (!times->nr) {
		read_by_records(times, &off, thread->begin == NO_TIME ? off.times[0] : thread->begin);
		curve_release(&off);
		return times->nr > 0;
	}
	stolen = stolen_times(&off, times);
	curve_init(&exact, NR_TIMES);
	memcpy(numbers, times->numbers, sizeof(numbers));
	curve_add(&exact, times->times[0], numbers);
	for (size_t i = 1; i < times->nr; i++) {
		double sums[NR_TIMES];

		for (int j = 0; j < NR_TIMES; j++)
			sums[j] = times->numbers[i * NR_TIMES + (size_t)j] -
				  times->numbers[(i - 1) * NR_TIMES + (size_t)j];
		refine_span(&exact, &off, times->times[i - 1], times->times[i], sums,
			    stolen[i] - stolen[i - 1], &point, numbers);
	}
	add_end(&exact, &off, exact.times[exact.nr - 1], point, numbers);
	free(stolen);
	curve_release(&off);
	curve_release(times);
	*times = exact;
	return true;
}

double time_curve_read(struct curve *times, struct thread *thread, uint32_t tid)
{
	const struct rowset *rows = process_rowset(thread->process, "process");
	bool is_alone = rows && thread_is_alone(thread);

	curve_init(times, NR_TIMES);
	read_times(times, thread, tid);
	if (is_alone)
		read_exact_cpu(times, thread->process, rows);
	if (read_exact_times(times, thread, tid))
		return is_alone ? 0 : TICK_NS / 2;	/* what the host took is known from rows */
	if (rows && !is_alone)
		add_tail(times, thread, tid, rows);
	return is_alone ? 0 : TICK_NS;
}
