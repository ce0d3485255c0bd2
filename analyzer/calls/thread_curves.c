/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Curves of a thread, from its own rows and those of its process. */
#include "analyzer/calls/thread_curves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/calls/gpu_use.h"
#include "analyzer/calls/wait_curve.h"

/* Columns of the set "process". They stand for USE_MINOR_FAULTS and the following. */
static const char *const count_columns[] = {
	"minor_faults", "major_faults", "read_bytes",	      "write_bytes",
	"read_chars",	"write_chars",	"voluntary_switches", "involuntary_switches",
};
#define NR_OF_CPU 6	/* the first of them: what only a running thread does */
#define SHARE_OF_ALL 0.99	/* of the process's CPU time: no other thread ran */
#define NR_COUNTS (sizeof(count_columns) / sizeof(*count_columns))
_Static_assert(USE_GPU_NS + GPU_BYTES == USE_GPU_BYTES, "in the order of gpu_use.h");
_Static_assert(USE_MINOR_FAULTS + NR_COUNTS == USE_RSS_BYTES, "a column for each kind");

static double change(const struct rowset *rows, size_t row, int column)
{
	uint64_t now = rowset_value(rows, row, (uint32_t)column);
	uint64_t before = row ? rowset_value(rows, row - 1, (uint32_t)column) : now;

	return now == LOG_NONE || before == LOG_NONE ? 0 : (double)now - (double)before;
}

/*
 * A thread's share in what its process used between two rows: its share of the CPU time, else an equal share.
 */
static double share_of(struct thread_use *use, struct process *process, const struct rowset *rows,
		       size_t row)
{
	int cpu = rowset_column(rows, "cpu_ns"), threads = rowset_column(rows, "threads");
	double process_ns = rowset_growth(rows, row, cpu), before[NR_TIMES], now[NR_TIMES], share;
	uint64_t nr;

	if (row == 0 || !use->times.nr)
		return 0;
	curve_at(&use->times, row_time(process, rows, row - 1), before);
	curve_at(&use->times, row_time(process, rows, row), now);
	if (process_ns > 0) {
		share = (now[TIMES_CPU] - before[TIMES_CPU]) / process_ns;
		return share < 0 ? 0 : share > 1 ? 1 : share;
	}
	nr = threads < 0 ? LOG_NONE : rowset_value(rows, row, (uint32_t)threads);
	return nr == LOG_NONE || nr == 0 ? 0 : 1 / (double)nr;
}

/* Rows [@from, @to], of which only the ends were read: the column is assumed to grow evenly in between. */
static void fill_evenly(const struct rowset *rows, double *values, size_t from, size_t to)
{
	const uint64_t begin = rowset_ticks(rows, from);
	const double per_tick = (values[to] - values[from]) / (double)(rowset_ticks(rows, to) - begin);

	for (size_t row = from + 1; row < to; row++)
		values[row] = values[from] + per_tick * (double)(rowset_ticks(rows, row) - begin);
}

/*
 * A column that is not read each time, as switches are. Before its first reading and after its last one, it
 * has the value of that reading. Return: [row], to be freed; NULL: there is no such column
 */
static double *even_column(const struct rowset *rows, const char *name)
{
	int column = rowset_column(rows, name);
	double *values = column < 0 ? NULL : xcalloc(rows->nr_rows + 1, sizeof(*values));
	size_t known = rows->nr_rows;

	for (size_t row = 0; column >= 0 && row < rows->nr_rows; row++) {
		uint64_t raw = rowset_value(rows, row, (uint32_t)column);

		if (raw == LOG_NONE) {
			values[row] = known < row ? values[known] : 0;
			continue;
		}
		values[row] = (double)raw;
		if (known < row)
			fill_evenly(rows, values, known, row);
		for (size_t i = 0; known == rows->nr_rows && i < row; i++)
			values[i] = values[row];
		known = row;
	}
	return values;
}

/*
 * Use that is counted for the process belongs to the thread if no other thread ran meanwhile. Otherwise its
 * thread is not known, and no thread gets it: shares by CPU time would go to threads that did nothing of
 * the kind.
 */
static bool is_of_thread(struct thread_use *use, struct thread *thread, const struct rowset *rows,
			 size_t row)
{
	return thread_is_alone(thread) || share_of(use, thread->process, rows, row) >= SHARE_OF_ALL;
}

/*
 * Points between two rows at which the CPU time of the thread is known. A thread that sleeps does not read,
 * write or fault: these grow as its CPU time does. The rest grows evenly.
 */
static void add_points(struct thread_use *use, int64_t from, int64_t to, const double *before,
		       const double *now)
{
	double begin[NR_TIMES], end[NR_TIMES], numbers[NR_COUNTS];
	struct curve *times = &use->times;

	if (!times->nr)
		return;
	curve_at(times, from, begin);
	curve_at(times, to, end);
	for (size_t point = curve_find(times, from); point < times->nr && times->times[point] < to; point++) {
		double passed = (double)(times->times[point] - from) / (double)(to - from);
		double ran = times->numbers[point * NR_TIMES + TIMES_CPU] - begin[TIMES_CPU];
		double all = end[TIMES_CPU] - begin[TIMES_CPU], share = all > 0 ? ran / all : passed;

		for (size_t i = 0; i < NR_COUNTS; i++)
			numbers[i] = before[i] + (now[i] - before[i]) * (i < NR_OF_CPU ? share : passed);
		curve_add(&use->counts, times->times[point], numbers);
	}
}

/* In the order of FIRST_OF_IO and the following. */
static const char *const io_columns[] = { "thread_read_bytes", "thread_write_bytes", "thread_read_chars",
					  "thread_write_chars" };
#define FIRST_OF_IO 2
#define NR_OF_IO (sizeof(io_columns) / sizeof(*io_columns))

/* Counters of this thread alone, from its first row on. Before that row it was the only thread. */
static void read_own_io(struct curve *own, const struct thread_use *use, const struct thread *thread)
{
	const struct rowset *rows = thread_rowset(thread->process, "thread", use->tid);
	double numbers[NR_OF_IO] = { 0 };
	uint64_t value;
	size_t nr;

	curve_init(own, NR_OF_IO);
	for (size_t row = 0; rows && row < rows->nr_rows; row++) {
		for (nr = 0; nr < NR_OF_IO; nr++) {
			int column = rowset_column(rows, io_columns[nr]);

			value = column < 0 ? LOG_NONE : rowset_value(rows, row, (uint32_t)column);
			if (value == LOG_NONE)
				break;
			numbers[nr] = (double)value;
		}
		if (nr < NR_OF_IO)
			continue;
		if (!own->nr && thread->serial && thread->begin != NO_TIME)
			curve_add(own, thread->begin, (const double[NR_OF_IO]){ 0 });
		curve_add(own, row_time(thread->process, rows, row), numbers);
	}
}

/* Between two times: false: it is not known. */
static bool own_io_between(struct curve *own, int64_t from, int64_t to, double *io)
{
	double before[NR_OF_IO];

	if (!own->nr || to <= own->times[0])
		return false;
	curve_at(own, from, before);
	curve_at(own, to, io);
	for (size_t i = 0; i < NR_OF_IO; i++)
		io[i] = fmax(io[i] - before[i], 0);
	return true;
}

static bool is_only_thread(const struct thread *thread, const struct rowset *rows, size_t row)
{
	const int threads = rowset_column(rows, "threads");

	return thread_is_alone(thread) ||
	       (threads >= 0 && rowset_value(rows, row - 1, (uint32_t)threads) == 1 &&
		rowset_value(rows, row, (uint32_t)threads) == 1);
}

/*
 * A thread may read and write much in hardly any CPU time: where its own counters are not known, and it is
 * not the only one, its I/O is not known.
 */
static void read_counts(struct thread_use *use, struct thread *thread, const struct rowset *rows)
{
	double numbers[NR_COUNTS] = { 0 }, before[NR_COUNTS], io[NR_OF_IO], *columns[NR_COUNTS];
	struct curve own;

	read_own_io(&own, use, thread);
	for (size_t i = 0; i < NR_COUNTS; i++)
		columns[i] = even_column(rows, count_columns[i]);
	for (size_t row = 0; row < rows->nr_rows; row++) {
		int64_t time = row_time(thread->process, rows, row),
			last = row ? row_time(thread->process, rows, row - 1) : time;
		bool is_only = row && is_only_thread(thread, rows, row),
		     has_all = row && is_of_thread(use, thread, rows, row),
		     has_io = !(is_only && own.nr && time > own.times[own.nr - 1]) &&
			      own_io_between(&own, last, time, io);

		memcpy(before, numbers, sizeof(before));
		for (size_t i = 0; i < NR_COUNTS; i++) {
			const bool is_io = i - FIRST_OF_IO < NR_OF_IO;

			if (is_io && has_io)
				numbers[i] += io[i - FIRST_OF_IO];
			else if ((is_io ? is_only : has_all) && columns[i])
				numbers[i] += fmax(columns[i][row] - columns[i][row - 1], 0);
		}
		if (has_io || has_all || is_only)
			add_points(use, last, time, before, numbers);
		curve_add(&use->counts, time, numbers);
	}
	for (size_t i = 0; i < NR_COUNTS; i++)
		free(columns[i]);
	curve_release(&own);
}

/* The set "memory" has rows each ms, but no CPU time. */
static void read_rss(struct thread_use *use, struct thread *thread, const struct rowset *process_rows)
{
	const struct rowset *memory = process_rowset(thread->process, "memory");
	const struct rowset *rows = thread_is_alone(thread) && memory ? memory : process_rows;
	int column = rowset_column(rows, "rss_bytes");
	double bytes = 0;

	for (size_t row = 0; column >= 0 && row < rows->nr_rows; row++) {
		bytes += (thread_is_alone(thread) ? 1 : share_of(use, thread->process, rows, row)) *
			 change(rows, row, column);
		curve_add(&use->rss, row_time(thread->process, rows, row), &bytes);
	}
}

/* A thread that waits for a device sleeps. So each thread has the share that it has of everything else. */
static void read_gpu(struct thread_use *use, struct thread *thread, const struct rowset *rows)
{
	double numbers[NR_GPU_NUMBERS] = { 0, 0 }, before[NR_GPU_NUMBERS] = { 0, 0 }, now[NR_GPU_NUMBERS];
	struct curve gpu;

	curve_init(&gpu, NR_GPU_NUMBERS);
	gpu_use_read(&gpu, thread->process);
	for (size_t row = 0; gpu.nr && row < rows->nr_rows; row++) {
		int64_t time = row_time(thread->process, rows, row);
		double share = thread_is_alone(thread) ? 1 : share_of(use, thread->process, rows, row);

		curve_at(&gpu, time, now);
		for (int i = 0; i < NR_GPU_NUMBERS; i++)
			numbers[i] += share * (now[i] - before[i]);
		memcpy(before, now, sizeof(before));
		curve_add(&use->gpu, time, numbers);
	}
	curve_release(&gpu);
}

void thread_times_open(struct thread_use *use, struct thread *thread, uint32_t tid)
{
	*use = (struct thread_use){ .tid = tid };
	curve_init(&use->counts, NR_COUNTS);
	curve_init(&use->rss, 1);
	curve_init(&use->gpu, NR_GPU_NUMBERS);
	use->lag_ns = time_curve_read(&use->times, thread, tid);
	wait_curve_refine(&use->times, &use->rows, &use->waits, use->lag_ns, thread, tid);
}

void thread_use_open(struct thread_use *use, struct thread *thread, uint32_t tid)
{
	const struct rowset *rows = process_rowset(thread->process, "process");

	thread_times_open(use, thread, tid);
	if (!rows || (!use->times.nr && !thread_is_alone(thread)))
		return;
	read_counts(use, thread, rows);
	read_rss(use, thread, rows);
	read_gpu(use, thread, rows);
}

void thread_use_close(struct thread_use *use)
{
	curve_release(&use->times);
	curve_release(&use->rows);
	curve_release(&use->waits);
	curve_release(&use->counts);
	curve_release(&use->rss);
	curve_release(&use->gpu);
}

static void scale(struct curve *curve, size_t number, double by)
{
	for (size_t point = 0; point < curve->nr; point++)
		curve->numbers[point * curve->nr_numbers + number] *= by;
}

/* A curve may go on before the thread began, and after it ended: with what others did. */
static void counts_of_life(struct thread_use *use, const struct thread *thread, double *counts)
{
	double before[NR_COUNTS] = { 0 };

	curve_at(&use->counts, thread->end == NO_TIME ? INT64_MAX : thread->end, counts);
	if (thread->serial && thread->begin != NO_TIME)
		curve_at(&use->counts, thread->begin, before);
	for (size_t i = 0; i < NR_COUNTS; i++)
		counts[i] -= before[i];
}

/* Storage has moved no more for these bytes than they are: pages of mapped files are read, too. */
void thread_use_take_out(struct thread_use *use, const struct thread *thread, const double *known,
			 double *stored)
{
	double counts[NR_COUNTS];

	stored[0] = stored[1] = NAN;
	if (!use->counts.nr)
		return;
	counts_of_life(use, thread, counts);
	for (size_t i = 0; i < 2; i++) {
		const size_t chars = USE_READ_CHARS - USE_MINOR_FAULTS + i,
			     bytes = USE_READ_BYTES - USE_MINOR_FAULTS + i;
		const double all = fmax(counts[chars], known[i]);

		stored[i] = all > 0 ? fmin(counts[bytes] / all, 1) : 0;
		scale(&use->counts, chars, all > 0 ? 1 - known[i] / all : 1);
		scale(&use->counts, bytes, counts[bytes] > 0 ? 1 - stored[i] * known[i] / counts[bytes] : 1);
	}
}

/* Differences of the numbers of @curve. NAN if it has no points. */
static void between(struct curve *curve, int64_t from, int64_t to, double *used)
{
	double before[NR_COUNTS], after[NR_COUNTS];

	if (curve->nr) {
		curve_at(curve, from, before);
		curve_at(curve, to, after);
	}
	for (size_t i = 0; i < curve->nr_numbers; i++)
		used[i] = curve->nr ? after[i] - before[i] : NAN;
}

void thread_use_between(struct thread_use *use, int64_t from, int64_t to, double *used)
{
	between(&use->times, from, to, &used[USE_CPU_NS]);
	between(&use->counts, from, to, &used[USE_MINOR_FAULTS]);
	between(&use->rss, from, to, &used[USE_RSS_BYTES]);
	between(&use->gpu, from, to, &used[USE_GPU_NS]);
	used[USE_BLOCKED_NS] = (double)(to - from) - used[USE_CPU_NS] - used[USE_WAIT_NS];
}

void thread_times_between(struct thread_use *use, int64_t from, int64_t to, struct span_times *times)
{
	double used[NR_TIMES];
	const double lasted_ns = (double)(to - from);

	*times = (struct span_times){ NAN, NAN, NAN, NAN };
	if (!use->times.nr)
		return;
	between(&use->times, from, to, used);
	times->cpu_ns = fmin(fmax(used[TIMES_CPU], 0), lasted_ns);
	times->wait_ns = fmin(fmax(used[TIMES_WAIT], 0), lasted_ns - times->cpu_ns);
	times->blocked_ns = lasted_ns - times->cpu_ns - times->wait_ns;
	times->doubt_ns = wait_curve_doubt(&use->rows, &use->waits, from, to);
	/* a thread that did not run meanwhile does not lag */
	times->doubt_ns = fmin(times->doubt_ns + fmin(2 * use->lag_ns, times->cpu_ns), lasted_ns);
}
