/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers of the calls of a function or of a call path: times, samples, shares of runs. Units as in model.h.
 */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define COUNTED_LEAST_SAMPLES 16u	/* fewer do not tell the time of a function, or its caller */

/* The cost of the hooks of some calls. All 0: not known. */
struct hook_cost {
	double inside_ns;		/* within the calls' own time */
	double hooks_ns;		/* all of it */
	double noise_ns;		/* uncertainty of hooks_ns */
	double new_paths_ns;		/* of hooks_ns: time to make the paths, within their callers' time */
	double around_ns;		/* what the program itself does for the calls of the hooks */
};

/* The time that hooks added to recorded times and that is subtracted; its uncertainty. See hook_costs.h. */
struct hook_share {
	double self_ns;
	double total_ns;
	double self_doubt_ns;
	double total_doubt_ns;
	double below_ns;		/* totals of what it called, without it */
	double lent_doubt_ns;		/* that of counted calls below, which is in the nearest timed one's */
};

/* The sums of a call path as recorded, with the cost of the hooks. There may be millions of them. */
struct counters {
	uint64_t calls;			/* this and the following: as in struct call_stats */
	uint64_t timed_calls;
	double total_ns;
	double self_ns;
	double square_ns2;
	struct hook_cost cost;
	double min_ns;
	double max_ns;			/* of finished calls */
};

/* More sums, which only few paths have: those with open calls, or with calls that were not timed. */
struct rare_counters {
	uint64_t open_calls;
	int64_t more_known_calls;	/* known_calls - timed_calls */
	double open_ns;
	double open_max_ns;		/* the longest open call so far; NAN: none */
	double total_variance_ns2;
	double self_variance_ns2; /* of the path and the paths below it; set when everything is summed up */
	uint64_t counted_calls;		/* this and the following: see counted_times.h */
	double sampled_ns;
	double most_cpu_ns;    /* of a recorded path's self time, by its samples; 0: not limited */
	double least_cpu_ns;   /* the same, at least */
	double moved_self_ns;  /* added to its times; */
	double moved_total_ns; /* below 0: subtracted */
	double moved_self_variance_ns2;
	double moved_total_variance_ns2;
	double moved_self_doubt_ns;
	double moved_total_doubt_ns;
	double recorded_below_ns; /* of a counted path: total time of the recorded calls below it */
	bool lacks_calls;
	bool holds_counted;
};
extern const struct rare_counters no_rare_counters;
/* The sums of one path, to be changed. Allocates them if the path has none yet; the tree frees them. */
struct rare_counters *rare_counters_of(const struct rare_counters **rare);

/* Calls of a function or of a call path. */
struct call_stats {
	uint64_t calls;			/* finished and open */
	uint64_t open_calls;		/* of calls: those still open when the log ended, or now */
	uint64_t timed_calls;		/* finished calls that were timed */
	uint64_t counted_calls;		/* of calls: those that timing auto only counted */
	uint64_t known_calls;		/* finished calls that the timed ones stand for: with adaptive
					 * timing more, an estimate */
	double total_ns;		/* inclusive; open calls up to the end; recursion counts once */
	double self_ns;			/* may be a little below 0: print 0 */
	double duration_ns;		/* sum over timed and open calls; with recursion more than total_ns */
	double open_ns;			/* of duration_ns: the part of open calls */
	double square_ns2;		/* sum of squares over known_calls */
	double total_variance_ns2;	/* of total_ns and self_ns if they are estimates; 0: every call was
					 * timed */
	double self_variance_ns2;
	double inside_ns;		/* these four: as in struct hook_cost */
	double hooks_ns;
	double noise_ns;
	double new_paths_ns;
	double around_ns;		/* as in struct hook_cost */
	double moved_self_ns;		/* of self_ns and total_ns: what samples added, see */
	double moved_total_ns;		/* counted_times.h; below 0: subtracted */
	double sampled_ns;		/* of self_ns: time that comes from samples, see counted_times.h */
	double recorded_below_ns;	/* of total_ns of a counted path: that of recorded calls below it */
	double removed_self_ns;		/* cost of hooks that was subtracted from self_ns, */
	double removed_ns;		/* and from total_ns and duration_ns */
	double self_doubt_ns;		/* uncertainty of self_ns, */
	double total_doubt_ns;		/* and of total_ns and duration_ns */
	double min_ns;			/* of finished calls; NAN: none */
	double max_ns;			/* of finished calls, and of open ones so far; NAN: none */
	double finished_max_ns;		/* of finished calls alone */
	double net_min_ns;		/* min_ns and max_ns with the mean cost of a call of their path */
	double net_max_ns;		/* subtracted */
	bool holds_counted;		/* self_ns includes the time of counted calls: it is an upper bound */
	bool has_recorded;		/* of a sum over functions: some of them were recorded, not counted */
	bool lacks_calls;		/* of a path: how many counted calls took it is not known */
};

/* The statistics of no calls at all. */
#define NO_RANGES .min_ns = NAN, .max_ns = NAN, .finished_max_ns = NAN, .net_min_ns = NAN, .net_max_ns = NAN
#define NO_CALLS { NO_RANGES }

/* Did timing auto count calls of it, at least from some time on? */
bool call_stats_are_counted(const struct call_stats *stats);
/* Is most of its self time from samples, as always in a function that was counted? */
bool call_stats_sample_self(const struct call_stats *stats);
/*
 * Is the time known? That of a counted function is only known by samples: the time of its first calls says
 * nothing about the others. But a long total that is mostly of recorded calls is known by these.
 */
bool call_stats_know_self(const struct call_stats *stats);
bool call_stats_know_total(const struct call_stats *stats);

/* Did samples change the time by more than 1 % of it? Then it is no sum of what was recorded. */
bool call_stats_moved_self(const struct call_stats *stats);
bool call_stats_moved_total(const struct call_stats *stats);

/* Add everything but total_ns and lacks_calls, which no function has. */
void call_stats_add(struct call_stats *sum, const struct call_stats *stats);
/* Add total_ns, if @stats is no recursion within @sum. */
void call_stats_add_total(struct call_stats *sum, const struct call_stats *stats);

/* Statistics from counters, with the hooks' @share subtracted. */
struct call_stats counters_stats(const struct counters *sum, const struct rare_counters *rare,
				 const struct hook_share *share);
/* Add recorded calls, except for the parts that struct rare_counters holds. */
void counters_add(struct counters *sum, const struct call_stats *calls);

/* NAN if nothing was timed. The mean is over known and open calls, the deviation over known ones. */
double call_stats_mean_ns(const struct call_stats *stats);
double call_stats_stddev_ns(const struct call_stats *stats);
/* Of so many times with this mean and this sum of squares; NAN: of none. */
double deviation_ns(double times, double mean_ns, double square_ns2);

/*
 * Bounds of the duration that @percent of the calls do not exceed, by the histogram of their recorded
 * durations. Return: the upper one; NAN: not known
 */
struct histogram;
double call_stats_percentile_ns(const struct call_stats *stats, const struct histogram *histogram,
				double percent, double *least_ns);

/* CPU samples (INSIDEME_SAMPLE) in a function itself, or in a path itself. */
struct sample_stats {
	uint64_t nr;			/* in its code, or in code without hooks that it called */
	uint64_t in_hooks;		/* in the recorder, working for it */
	uint64_t missed;		/* samples that the kernel skipped before these */
	double ns;			/* CPU time that these nr stand for */
	double hooks_ns;		/* CPU time that in_hooks stand for */
	double stubs_ns;		/* of hooks_ns: in stubs of call sites */
	uint64_t total_nr; /* nr with those of its callees; recursion counts once; by samples_read.c */
	double total_ns;		/* likewise ns */
	double kernel_ns, total_kernel_ns; /* of ns and total_ns: in the kernel, for samples of CPU time */
	/* Samples of time only: time in which the thread waited, and in which it was ready to run */
	double waiting_ns, ready_ns;
	double total_waiting_ns, total_ready_ns;	/* with those of its callees, as total_ns */
};

/* Is there any in it, or in what it calls? */
static inline bool sample_stats_exist(const struct sample_stats *samples)
{
	return samples->nr || samples->total_nr || samples->waiting_ns + samples->total_waiting_ns > 0 ||
	       samples->ready_ns + samples->total_ready_ns > 0;
}

/* The share of one of several runs in a function, all doubles, so that run_parts.c takes them as arrays. */
struct run_part {
	double calls;
	double self_ns;
	double total_ns;
};

/* The share of one of several runs in the heap of a function, likewise. */
struct heap_part {
	double alloc_calls;
	double alloc_bytes;
	double peak_bytes;
	double not_freed_bytes;
};

/* The range of a call path's numbers over the runs that have it, each number on its own. */
struct path_range {
	uint32_t nr_runs;
	struct run_part min, max;
};
