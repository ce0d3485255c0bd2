/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What CPU samples say about recorded calls and the counted calls below them. A sample's path leads through
 * counted calls to the nearest recorded path, its owner. Samples of one owner are a group, those of all paths
 * of a recorded function a pool. Samples in the recorder decide what hooks cost where they show another cost
 * than was measured at the start.
 */
#pragma once

#include "analyzer/model/model.h"

#define AROUND_ERROR	0.5		/* standard error of what is around the hooks, as part of that: it
					 * differs by that much from program to program, see accuracy.md */
#define SAMPLE_ERRORS	2.0		/* so many standard errors of the samples' time */

/* Samples of one or more recorded paths, and of the counted paths below them. Times are ns. */
struct sample_group {
	uint64_t nr;
	uint64_t nr_in_hooks;		/* in the recorder, and in the code that counts */
	double nr_ns;			/* of nr; these two without what is around hooks: */
	double own_ns;
	double counted_ns;
	double hooks_ns;		/* of nr_in_hooks, with what is around hooks */
	double around_ns;		/* of hooks_ns: around the hooks of recorded calls */
	double stubs_ns;		/* of hooks_ns: in the code that counts, and around that */
	bool has_counted;		/* there are counted paths below */
};

/* All paths of one recorded function together. Times are ns. */
struct sample_pool {
	struct sample_group group;
	double recorded_ns;		/* self time of the paths, with the hooks' cost; */
	double self_ns;			/* without it; */
	double doubt_ns;		/* the uncertainty of that */
	double kept_ns;			/* self_ns as samples correct it */
	bool is_by_samples;		/* by its own samples, not by those of many functions */
};

struct counted_samples {
	struct model *model;
	size_t nr_paths;		/* number of paths */
	size_t nr_functions;		/* greatest number of a function, and one */
	uint32_t *owners;		/* [id]: the nearest recorded path: this one, or one above it */
	double *around;			/* [id]: the part of the path's samples that is around its hooks */
	double *left_out;		/* [id of an owner]: the part of the rest that is around the hooks of
					 * counted calls which are left out */
	struct sample_group *groups;	/* [id of an owner] */
	struct sample_pool *pools;	/* [function->number of an owner] */
	double mean_ns;			/* for which a sample stands */
	double left_out_ns;		/* what is around the hooks of counted calls that are left out */
};

/* Once counted functions are known, see counted_calls_find(). */
void counted_samples_find(struct counted_samples *samples, struct model *model);
void counted_samples_free(struct counted_samples *samples);

/* Was the path's function only counted? Not those below "(counted calls)". */
bool counted_samples_is_counted(const struct tree_node *path);
/* The time of a path's samples, as far as it is its own. */
double counted_samples_own_ns(const struct counted_samples *samples, const struct tree_node *path);
/* The rest of it, which is around its hooks. */
double counted_samples_around_ns(const struct counted_samples *samples, const struct tree_node *path);
/* The pool of a recorded path; NULL: it has no function. */
struct sample_pool *counted_samples_pool(const struct counted_samples *samples,
					 const struct tree_node *owner);
/* The standard error of @ns of the group's time: of all its samples, as samples in functions have a part of
 * hooks_ns. */
double sample_group_error_ns(const struct sample_group *group, double ns);

/* The mean time for which a sample of the group stands; 0: it has none. */
static inline double sample_group_mean_ns(const struct sample_group *group)
{
	return group->nr ? group->nr_ns / (double)group->nr : 0;
}

/* Self time of recorded paths is that of their own code, of counted calls, and of the code that counts. */
static inline double sample_group_divided_ns(const struct sample_group *group)
{
	return group->own_ns + group->counted_ns + group->stubs_ns;
}

/* Are there COUNTED_LEAST_SAMPLES that divide it? */
bool counted_samples_suffice(const struct counted_samples *samples, const struct sample_group *group);
