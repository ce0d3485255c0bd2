/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of the calls of a function or of a call path: times, samples, shares of runs. Units as in model.h. */
#ifndef INSIDEME_CALL_STATS_H
#define INSIDEME_CALL_STATS_H

#include <stdint.h>

/* Calls of a function or of a call path. */
struct call_stats {
	uint64_t calls;			/* finished and open */
	uint64_t open_calls;		/* of them open when the log ended, or now */
	uint64_t timed_calls;		/* finished calls whose time was taken */
	uint64_t known_calls;		/* finished calls that those stand for: with adaptive timing more, an estimate */
	double total_ns;		/* inclusive, open calls up to the end; recursion once */
	double self_ns;			/* may be a little below 0: print 0 */
	double duration_ns;		/* sum over timed and open calls; more than total_ns under recursion */
	double open_ns;			/* of duration_ns: open calls */
	double square_ns2;		/* sum of squares over known_calls */
	double total_variance_ns2;	/* of total_ns and self_ns as estimates; 0: every call was timed */
	double self_variance_ns2;	/* tree.c's */
	double inside_ns;		/* hook_costs.c's: what the hooks of these calls cost, in the calls' own time, */
	double hooks_ns;		/* and all of it */
	double noise_ns;		/* how well that is known */
	double new_paths_ns;		/* of hooks_ns: making the paths, in their callers' time */
	double removed_self_ns;		/* of hooks, taken out of self_ns; */
	double removed_ns;		/* of total_ns and duration_ns */
	double self_doubt_ns;		/* self_ns is not known better than that, */
	double total_doubt_ns;		/* total_ns and duration_ns than that */
	double min_ns;			/* of finished calls; NAN: none */
	double max_ns;			/* of finished calls, and of open ones so far; NAN: none */
	double finished_max_ns;		/* of finished calls alone */
};
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
