/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds up numbers of calls, and computes others from them. */
#include "analyzer/model/call_stats.h"

#include "analyzer/base/error.h"
#include "analyzer/model/hook_costs.h"

#define SQUARES_NOISE	1e-13	/* of a sum of squares of doubles: a smaller deviation cannot be told from
				 * none */

#define SAMPLE_NS	4e6	/* a function without samples may take so long: a sample's time at 250 Hz */

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

bool call_stats_sample_self(const struct call_stats *stats)
{
	return call_stats_are_counted(stats) || stats->sampled_ns > stats->self_ns / 2;
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
	return know(stats, stats->total_variance_ns2) ||
	       stats->recorded_below_ns > fmax(stats->total_ns / 2, SAMPLE_NS);
}

#define MOVED_LEAST 0.01	/* of a time */

bool call_stats_moved_self(const struct call_stats *stats)
{
	return fabs(stats->moved_self_ns) > MOVED_LEAST * fabs(stats->self_ns);
}

bool call_stats_moved_total(const struct call_stats *stats)
{
	return fabs(stats->moved_total_ns) > MOVED_LEAST * fabs(stats->total_ns);
}

/* Those that a duration is of. */
static uint64_t timed_calls(const struct call_stats *stats)
{
	return stats->known_calls + (stats->open_ns > 0 ? stats->open_calls : 0);
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
	sum->moved_self_ns += stats->moved_self_ns;
	sum->sampled_ns += stats->sampled_ns;
	sum->holds_counted |= stats->holds_counted;
	sum->new_paths_ns += stats->new_paths_ns;
	sum->around_ns += stats->around_ns;
	sum->self_doubt_ns += stats->self_doubt_ns;
	sum->min_ns = fmin(sum->min_ns, stats->min_ns);		/* if one is NAN: the other one */
	sum->max_ns = fmax(sum->max_ns, stats->max_ns);
	sum->finished_max_ns = fmax(sum->finished_max_ns, stats->finished_max_ns);
	sum->net_min_ns = fmin(sum->net_min_ns, stats->net_min_ns);
	sum->net_max_ns = fmax(sum->net_max_ns, stats->net_max_ns);
}

void call_stats_add_total(struct call_stats *sum, const struct call_stats *stats)
{
	sum->total_ns += stats->total_ns;
	sum->moved_total_ns += stats->moved_total_ns;
	sum->total_variance_ns2 += stats->total_variance_ns2;
	sum->total_doubt_ns += stats->total_doubt_ns;
	sum->recorded_below_ns += stats->recorded_below_ns;
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
	sum->cost.around_ns += calls->around_ns;
	sum->min_ns = fmin(sum->min_ns, calls->min_ns);
	sum->max_ns = fmax(sum->max_ns, calls->finished_max_ns);
}

/*
 * Only the mean of what was subtracted from a call is known. A call with many calls below it, or with new
 * paths, cost more.
 */
static void set_net_range(struct call_stats *stats, double recorded_ns)
{
	uint64_t calls = timed_calls(stats);
	double each_ns = calls ? (recorded_ns - stats->total_ns) / (double)calls : 0;

	stats->net_min_ns = isnan(stats->min_ns) ? NAN : fmax(stats->min_ns - each_ns, 0);
	if (isnan(stats->max_ns))
		stats->net_max_ns = NAN;
	else
		stats->net_max_ns = fmin(fmax(stats->max_ns - each_ns, 0), fmax(stats->total_ns, 0));
	if (stats->net_min_ns > stats->net_max_ns)
		stats->net_min_ns = stats->net_max_ns;
}

struct call_stats counters_stats(const struct counters *sum, const struct rare_counters *rare,
				 const struct hook_share *share)
{
	struct call_stats stats = {
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
		.around_ns = sum->cost.around_ns,
		.moved_self_ns = rare->moved_self_ns,
		.moved_total_ns = rare->moved_total_ns,
		.sampled_ns = rare->sampled_ns,
		.recorded_below_ns = rare->recorded_below_ns,
		.lacks_calls = rare->lacks_calls,
		.holds_counted = rare->holds_counted,
		.removed_self_ns = share->self_ns,
		.removed_ns = share->total_ns - fmin(rare->moved_total_ns, 0),
		.self_doubt_ns = fmax(share->self_doubt_ns + rare->moved_self_doubt_ns, 0),
		.total_doubt_ns = fmax(share->total_doubt_ns + rare->moved_total_doubt_ns, 0),
		.min_ns = sum->min_ns,
		.max_ns = fmax(sum->max_ns, rare->open_max_ns),
		.finished_max_ns = sum->max_ns,
	};

	set_net_range(&stats, sum->total_ns);
	return stats;
}

double call_stats_mean_ns(const struct call_stats *stats)
{
	uint64_t calls = timed_calls(stats);

	return calls ? stats->duration_ns / (double)calls : NAN;
}

/* The mean of finished calls, with the cost of their hooks. */
static double recorded_mean_ns(const struct call_stats *stats)
{
	return (stats->duration_ns + stats->removed_ns - stats->open_ns) / (double)stats->known_calls;
}

double deviation_ns(double times, double mean_ns, double square_ns2)
{
	const double variance_ns2 = square_ns2 / times - mean_ns * mean_ns;

	if (!(times > 0))
		return NAN;
	return variance_ns2 > SQUARES_NOISE * mean_ns * mean_ns ? sqrt(variance_ns2) : 0;
}

double call_stats_stddev_ns(const struct call_stats *stats)
{
	return deviation_ns((double)stats->known_calls, recorded_mean_ns(stats), stats->square_ns2);
}

/*
 * Bounds of a percentile that follow from mean and deviation. At most 1/n of the calls can be n times as far
 * above the shortest one as the mean is (Markov). No share p is farther above the mean than sqrt(p / (1 - p))
 * deviations, or farther below it than sqrt((1 - p) / p) (Cantelli).
 */
static void narrow(const struct call_stats *stats, double percent, double *min_ns, double *max_ns)
{
	double share = percent / 100, mean_ns = recorded_mean_ns(stats),
	       deviation_ns = call_stats_stddev_ns(stats);

	*min_ns = stats->min_ns;
	*max_ns = stats->finished_max_ns;
	if (stats->known_calls != stats->timed_calls)	/* then the mean also stands for other calls */
		return;
	*max_ns = fmin(*max_ns, *min_ns + fmax(mean_ns - *min_ns, 0) / (1 - share));
	*max_ns = fmin(*max_ns, mean_ns + deviation_ns * sqrt(share / (1 - share)));
	*min_ns = fmin(fmax(*min_ns, mean_ns - deviation_ns * sqrt((1 - share) / share)), *max_ns);
}

static double net_ns(const struct call_stats *stats, double recorded_ns)
{
	return fmax(fmin(recorded_ns - hook_costs_per_call(stats), stats->net_max_ns), stats->net_min_ns);
}

double call_stats_percentile_ns(const struct call_stats *stats, const struct histogram *histogram,
				double percent, double *least_ns)
{
	uint64_t count = stats->counted_calls ? 0 : histogram_count(histogram);
	double min_ns, max_ns, most_ns;

	*least_ns = NAN;
	if (!count || count + (1ull << 31) < stats->known_calls)
		return NAN;	/* a bucket passed 2^32, and the record of that was lost */
	narrow(stats, percent, &min_ns, &max_ns);
	most_ns = histogram_percentile(histogram, percent, min_ns, max_ns, least_ns);
	*least_ns = net_ns(stats, *least_ns);
	return net_ns(stats, most_ns);
}

double function_percentile_ns(const struct function *function, double percent, double *least_ns)
{
	*least_ns = NAN;
	if (function->lacks_times)
		return NAN;
	return call_stats_percentile_ns(&function->stats, &function->histogram, percent, least_ns);
}
