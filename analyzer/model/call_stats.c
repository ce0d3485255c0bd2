/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds up what is known of calls, and computes what follows from it. */
#include "analyzer/model/call_stats.h"

#include "analyzer/base/error.h"
#include "analyzer/model/hook_costs.h"

#define SQUARES_NOISE	1e-13	/* of a sum of squares of doubles: a deviation of less cannot be told from none */

const struct rare_counters no_rare_counters = { .open_max_ns = NAN };

struct rare_counters *rare_counters_of(const struct rare_counters **rare)
{
	struct rare_counters *own;

	if (*rare == &no_rare_counters) {
		*rare = own = xcalloc(1, sizeof(*own));
		*own = no_rare_counters;
	}
	return (struct rare_counters *)*rare;
}

bool call_stats_are_counted(const struct call_stats *stats)
{
	return stats->counted_calls || stats->lacks_calls;
}

static bool know(const struct call_stats *stats, double variance_ns2)
{
	if (call_stats_are_counted(stats) && !stats->has_recorded)
		return variance_ns2 > 0 || stats->sampled_ns > 0;
	return stats->timed_calls > 0 || stats->open_ns > 0 || stats->sampled_ns > 0;
}

bool call_stats_know_self(const struct call_stats *stats)
{
	return know(stats, stats->self_variance_ns2);
}

bool call_stats_know_total(const struct call_stats *stats)
{
	return know(stats, stats->total_variance_ns2);
}

void call_stats_add(struct call_stats *sum, const struct call_stats *stats)
{
	sum->calls += stats->calls;
	sum->open_calls += stats->open_calls;
	sum->timed_calls += stats->timed_calls;
	sum->counted_calls += stats->counted_calls;
	sum->known_calls += stats->known_calls;
	sum->self_ns += stats->self_ns;
	sum->duration_ns += stats->duration_ns;
	sum->open_ns += stats->open_ns;
	sum->square_ns2 += stats->square_ns2;
	sum->self_variance_ns2 += stats->self_variance_ns2;
	sum->inside_ns += stats->inside_ns;
	sum->hooks_ns += stats->hooks_ns;
	sum->removed_self_ns += stats->removed_self_ns;
	sum->removed_ns += stats->removed_ns;
	sum->noise_ns += stats->noise_ns;
	sum->sampled_ns += stats->sampled_ns;
	sum->holds_counted |= stats->holds_counted;
	sum->new_paths_ns += stats->new_paths_ns;
	sum->self_doubt_ns += stats->self_doubt_ns;
	sum->min_ns = fmin(sum->min_ns, stats->min_ns);		/* the other one where one is NAN */
	sum->max_ns = fmax(sum->max_ns, stats->max_ns);
	sum->finished_max_ns = fmax(sum->finished_max_ns, stats->finished_max_ns);
}

void call_stats_add_total(struct call_stats *sum, const struct call_stats *stats)
{
	sum->total_ns += stats->total_ns;
	sum->total_variance_ns2 += stats->total_variance_ns2;
	sum->total_doubt_ns += stats->total_doubt_ns;
}

void counters_add(struct counters *sum, const struct call_stats *calls)
{
	sum->calls += calls->calls;
	sum->timed_calls += calls->timed_calls;
	sum->total_ns += calls->total_ns;
	sum->self_ns += calls->self_ns;
	sum->square_ns2 += calls->square_ns2;
	sum->cost.inside_ns += calls->inside_ns;
	sum->cost.hooks_ns += calls->hooks_ns;
	sum->cost.noise_ns += calls->noise_ns;
	sum->cost.new_paths_ns += calls->new_paths_ns;
	sum->min_ns = fmin(sum->min_ns, calls->min_ns);
	sum->max_ns = fmax(sum->max_ns, calls->finished_max_ns);
}

struct call_stats counters_stats(const struct counters *sum, const struct rare_counters *rare, const struct hook_share *share)
{
	return (struct call_stats){
		.calls = sum->calls,
		.open_calls = rare->open_calls,
		.timed_calls = sum->timed_calls,
		.known_calls = sum->timed_calls + (uint64_t)rare->more_known_calls,
		.counted_calls = rare->counted_calls,
		.total_ns = sum->total_ns - share->total_ns + rare->moved_total_ns,
		.self_ns = sum->self_ns - share->self_ns + rare->moved_self_ns,
		.duration_ns = sum->total_ns - share->total_ns + rare->moved_total_ns,
		.open_ns = rare->open_ns,
		.square_ns2 = sum->square_ns2,
		.total_variance_ns2 = rare->total_variance_ns2 + rare->moved_total_variance_ns2,
		.self_variance_ns2 = rare->self_variance_ns2 + rare->moved_self_variance_ns2,
		.inside_ns = sum->cost.inside_ns,
		.hooks_ns = sum->cost.hooks_ns,
		.noise_ns = sum->cost.noise_ns,
		.new_paths_ns = sum->cost.new_paths_ns,
		.sampled_ns = rare->sampled_ns,
		.lacks_calls = rare->lacks_calls,
		.holds_counted = rare->holds_counted,
		.removed_self_ns = share->self_ns,
		.removed_ns = share->total_ns,
		.self_doubt_ns = share->self_doubt_ns,
		.total_doubt_ns = share->total_doubt_ns,
		.min_ns = sum->min_ns,
		.max_ns = fmax(sum->max_ns, rare->open_max_ns),
		.finished_max_ns = sum->max_ns,
	};
}

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
	uint64_t count =
		function->lacks_times || function->stats.counted_calls ? 0 : histogram_count(histogram);

	if (!count || count + (1ull << 31) < function->stats.known_calls)
		return NAN;	/* a bucket went past 2^32 and the record of it was lost */
	return fmin(histogram_percentile(histogram, percent, function->stats.min_ns, bound_ns(&function->stats, percent)) -
		    hook_costs_per_call(&function->stats), call_stats_max_ns(&function->stats));
}
