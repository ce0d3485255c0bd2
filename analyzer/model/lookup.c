/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looking things up in a model: facts, rows, times, and what follows from a function's counters. */
#include "analyzer/model/model.h"

#include <string.h>

#include "analyzer/model/hook_costs.h"
#include "analyzer/model/memory_at.h"

#define SQUARES_NOISE	1e-13	/* of a sum of squares of doubles: a deviation of less cannot be told from none */

double call_stats_mean_ns(const struct call_stats *stats)
{
	uint64_t calls = stats->known_calls + (stats->open_ns > 0 ? stats->open_calls : 0);

	return calls ? stats->duration_ns / (double)calls : NAN;
}

/* Of finished calls, with what the hooks cost. */
static double recorded_mean_ns(const struct call_stats *stats)
{
	return (stats->duration_ns + stats->removed_ns - stats->open_ns) / (double)stats->known_calls;
}

double call_stats_max_ns(const struct call_stats *stats)
{
	/* What was taken out of it is a mean: of a call with many below it, or with new paths, it was more. */
	return isnan(stats->max_ns) ? NAN : fmin(stats->max_ns - hook_costs_per_call(stats), fmax(stats->total_ns, 0));
}

double call_stats_stddev_ns(const struct call_stats *stats)
{
	double calls = (double)stats->known_calls, mean = recorded_mean_ns(stats);
	double variance_ns2 = stats->square_ns2 / calls - mean * mean;

	if (!(calls > 0))
		return NAN;
	return variance_ns2 > SQUARES_NOISE * mean * mean ? sqrt(variance_ns2) : 0;
}

/*
 * No more than a share of the calls can be so many times as far above the least as the mean is (Markov): within a bucket
 * of the histogram that tells more than that durations are spread evenly.
 */
static double bound_ns(const struct call_stats *stats, double percent)
{
	if (stats->known_calls != stats->timed_calls)	/* then the mean is of others too */
		return stats->finished_max_ns;
	return fmin(stats->min_ns + fmax(recorded_mean_ns(stats) - stats->min_ns, 0) * 100 / (100 - percent),
		    stats->finished_max_ns);
}

double function_percentile_ns(const struct function *function, double percent)
{
	const struct histogram *histogram = &function->histogram;
	uint64_t count = function->lacks_times ? 0 : histogram_count(histogram);

	if (!count || count + (1ull << 31) < function->stats.known_calls)
		return NAN;	/* a bucket went past 2^32 and the record of it was lost */
	return fmin(histogram_percentile(histogram, percent, function->stats.min_ns, bound_ns(&function->stats, percent)) -
		    hook_costs_per_call(&function->stats), call_stats_max_ns(&function->stats));
}

const char *process_fact(const struct process *process, const char *key)
{
	for (size_t i = 0; i < process->nr_facts; i++)
		if (strcmp(process->facts[i].key, key) == 0)
			return process->facts[i].value;
	return NULL;
}

struct rowset *process_rowset(const struct process *process, const char *set)
{
	for (size_t i = 0; i < process->nr_rowsets; i++)
		if (strcmp(process->rowsets[i].set, set) == 0)
			return &process->rowsets[i];
	return NULL;
}

int64_t process_time(struct process *process, uint64_t ticks)
{
	return (int64_t)((uint64_t)timebase_monotonic_ns(&process->timebase, ticks) - (uint64_t)process->origin_ns);
}

uint64_t process_ticks(const struct process *process, int64_t time)
{
	return timebase_ticks(&process->timebase, (int64_t)((uint64_t)time + (uint64_t)process->origin_ns));
}

int64_t process_realtime_ns(struct process *process, uint64_t ticks)
{
	return timebase_realtime_ns(&process->timebase, ticks);
}

bool process_memory_at(struct process *process, uint64_t ticks, struct memory_reading *reading)
{
	struct rowset *rows = process_rowset(process, "memory");
	int64_t row = rows ? rowset_at(rows, ticks) : -1;
	int rss = rows ? rowset_column(rows, "rss_bytes") : -1, vms = rows ? rowset_column(rows, "vms_bytes") : -1;

	if (row < 0)
		return false;
	reading->rss_bytes = rss < 0 ? LOG_NONE : rowset_value(rows, (size_t)row, (uint32_t)rss);
	reading->vms_bytes = vms < 0 ? LOG_NONE : rowset_value(rows, (size_t)row, (uint32_t)vms);
	reading->age_ns = (double)(ticks - rows->ticks[row]) * process->tick_ns;
	return true;
}
