/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of the calls of a function or of a call path: times, samples, shares of runs. Units as in model.h. */
#ifndef INSIDEME_CALL_STATS_H
#define INSIDEME_CALL_STATS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* What the hooks of some calls cost. All 0: it is not known. */
struct hook_cost {
	double inside_ns;		/* in the calls' own time */
	double hooks_ns;		/* all of it */
	double noise_ns;		/* how well that is known */
	double new_paths_ns;		/* of hooks_ns: making the paths, in their callers' time */
};

/* What is subtracted from recorded times because hooks spent it, and how well that is known: hook_costs.h. */
struct hook_share {
	double self_ns;
	double total_ns;
	double self_doubt_ns;
	double total_doubt_ns;
};

/* The sums of a call path as they were recorded, with the hooks' cost. There may be millions of them. */
struct counters {
	uint64_t calls;			/* this and the rest: as in struct call_stats */
	uint64_t timed_calls;
	double total_ns;
	double self_ns;
	double square_ns2;
	struct hook_cost cost;
	double min_ns;
	double max_ns;			/* of finished calls */
};

/* The same, what only few paths have: those with open calls, or with calls that were not timed. */
struct rare_counters {
	uint64_t open_calls;
	int64_t more_known_calls;	/* than timed ones */
	double open_ns;
	double open_max_ns;		/* the longest open call so far; NAN: none */
	double total_variance_ns2;
	double self_variance_ns2;	/* of it and of what it calls; set when all is summed up */
	uint64_t counted_calls;		/* this and the rest: see counted_times.h */
	double sampled_ns;
	double moved_self_ns;  /* what is added to its times, */
	double moved_total_ns; /* or below 0 taken out of them */
	double moved_self_variance_ns2;
	double moved_total_variance_ns2;
	bool lacks_calls;
	bool holds_counted;
};
extern const struct rare_counters no_rare_counters;
/* A path's own, to be changed: it gets room for them when it has none yet. Freed by the tree. */
struct rare_counters *rare_counters_of(const struct rare_counters **rare);

/* Calls of a function or of a call path. */
struct call_stats {
	uint64_t calls;			/* finished and open */
	uint64_t open_calls;		/* of them open when the log ended, or now */
	uint64_t timed_calls;		/* finished calls whose time was taken */
	uint64_t counted_calls;		/* of calls, those of functions that timing auto only counted */
	uint64_t known_calls;		/* finished calls that those stand for: with adaptive timing more, an estimate */
	double total_ns;		/* inclusive, open calls up to the end; recursion once */
	double self_ns;			/* may be a little below 0: print 0 */
	double duration_ns;		/* sum over timed and open calls; more than total_ns under recursion */
	double open_ns;			/* of duration_ns: open calls */
	double square_ns2;		/* sum of squares over known_calls */
	double total_variance_ns2;	/* of total_ns and self_ns as estimates; 0: every call was timed */
	double self_variance_ns2;
	double inside_ns;		/* these four: as in struct hook_cost */
	double hooks_ns;
	double noise_ns;
	double new_paths_ns;
	double sampled_ns;		/* of self_ns: time by samples, see counted_times.h */
	double removed_self_ns;		/* of hooks, subtracted from self_ns; */
	double removed_ns;		/* from total_ns and duration_ns */
	double self_doubt_ns;		/* self_ns is not known better than that, */
	double total_doubt_ns;		/* total_ns and duration_ns than that */
	double min_ns;			/* of finished calls; NAN: none */
	double max_ns;			/* of finished calls, and of open ones so far; NAN: none */
	double finished_max_ns;		/* of finished calls alone */
	bool holds_counted;		/* self_ns is with the time of counted calls: it is at most that */
	bool has_recorded;		/* a sum over functions: some of them were recorded, not counted */
	bool lacks_calls;		/* of a path: it is not known how many counted calls went by it */
};

/* No calls at all. */
#define NO_CALLS { .min_ns = NAN, .max_ns = NAN, .finished_max_ns = NAN }

/* Is this of a function that timing auto counted, at least from some time on? */
bool call_stats_are_counted(const struct call_stats *stats);
/* Did samples tell its time? What its first calls took says nothing of the others. */
bool call_stats_know_self(const struct call_stats *stats);
bool call_stats_know_total(const struct call_stats *stats);

/* Add all but total_ns, and lacks_calls, which a function never does. */
void call_stats_add(struct call_stats *sum, const struct call_stats *stats);
/* Add total_ns, where @stats is no recursion within @sum. */
void call_stats_add_total(struct call_stats *sum, const struct call_stats *stats);

/* Counters as statistics, without the hooks' @share. */
struct call_stats counters_stats(const struct counters *sum, const struct rare_counters *rare, const struct hook_share *share);
/* Add recorded calls. What is rare of them is not added. */
void counters_add(struct counters *sum, const struct call_stats *calls);

/* NAN where nothing was timed. The mean is over known and open calls, the deviation over known ones. */
double call_stats_mean_ns(const struct call_stats *stats);
double call_stats_stddev_ns(const struct call_stats *stats);
/* The longest call, less what the hooks cost. */
double call_stats_max_ns(const struct call_stats *stats);

/* CPU samples that met a function itself (a path itself): INSIDEME_SAMPLE. */
struct sample_stats {
	uint64_t nr;			/* in its code, or in code without hooks that it called */
	uint64_t in_hooks;		/* in the recorder, on its behalf */
	uint64_t missed;		/* that the kernel left out before these */
	double ns;			/* CPU time that nr stand for */
	double hooks_ns;		/* likewise in_hooks */
	double stubs_ns;		/* of that, in code that counts for call sites */
	uint64_t total_nr;		/* samples_read.c's: nr and those of what it called; recursion once */
	double total_ns;		/* likewise ns */
};

/* What one of several runs has of a function. */
struct run_part {
	uint64_t calls;
	double self_ns;
	double total_ns;
};

/* What one of several runs has of the heap of a function. */
struct heap_part {
	uint64_t alloc_calls;
	uint64_t alloc_bytes;
	uint64_t peak_bytes;
	uint64_t not_freed_bytes;
};

/* What those of several runs that have a call path have of it, each number on its own. */
struct path_range {
	uint32_t nr_runs;
	struct run_part min, max;
};

#endif
