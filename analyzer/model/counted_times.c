/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/model/counted_times.h"

#include <stdlib.h>

#include "analyzer/base/error.h"
#include "analyzer/model/tree_walk.h"

/* Of a recorded path, with the counted paths beneath it. */
struct group {
	uint64_t nr;	   /* samples */
	double counted_ns; /* CPU time of its counted paths, by samples */
	double stubs_ns;   /* and of the code that counts them */
	double share;	   /* of counted_ns that there is room for */
};

/* Counted paths beneath a recorded one belong to it; callers have lower ids than what they call. */
static uint32_t *find_owners(const struct model *model)
{
	uint32_t *owners = xcalloc(model->nr_tree_nodes, sizeof(*owners));

	for (size_t id = 1; id < model->nr_tree_nodes; id++) {
		const struct tree_node *node = tree_node(model, id);

		owners[id] = node->function->is_counted ? owners[node->parent->id] : (uint32_t)id;
	}
	return owners;
}

/* What is outside of all recorded calls has a time of its own: there is nothing to take it out of. */
static double room_of(const struct model *model, size_t id, const struct group *group)
{
	return id ? fmax(path_stats(tree_node(model, id)).self_ns - group->stubs_ns, 0) : INFINITY;
}

static struct group *make_groups(const struct model *model, const uint32_t *owners)
{
	struct group *groups = xcalloc(model->nr_tree_nodes, sizeof(*groups));

	for (size_t id = 0; id < model->nr_tree_nodes; id++) {
		const struct sample_stats *samples = tree_node(model, id)->samples;
		struct group *group = &groups[owners[id]];

		group->nr += samples->nr;
		group->counted_ns += owners[id] == id ? 0 : samples->ns;
		group->stubs_ns += model->is_raw ? 0 : samples->stubs_ns;
	}
	for (size_t id = 0; id < model->nr_tree_nodes; id++) {
		struct group *group = &groups[id];

		if (group->nr >= COUNTED_LEAST_SAMPLES && group->counted_ns > 0)
			group->share = fmin(1, room_of(model, id, group) / group->counted_ns);
		else
			group->stubs_ns = 0;
	}
	return groups;
}

/* The error of a number of samples is its root. */
static void add_time(struct rare_counters *rare, const struct sample_stats *samples, double share)
{
	double ns = samples->ns * share, one_ns = samples->nr ? samples->ns / (double)samples->nr : 0;
	double variance_ns2 = (double)samples->nr * one_ns * one_ns;

	rare->moved_self_ns += ns;
	rare->sampled_ns += ns;
	rare->self_variance_ns2 += variance_ns2;
	rare->total_variance_ns2 += variance_ns2;
}

void counted_times_take(struct model *model)
{
	uint32_t *owners = find_owners(model);
	struct group *groups = make_groups(model, owners);
	double *added_ns =
		xcalloc(model->nr_tree_nodes, sizeof(*added_ns)); /* to totals, by what is beneath */

	for (size_t id = model->nr_tree_nodes; id-- > 1;) {
		struct tree_node *node = tree_node(model, id);
		const struct group *group = &groups[owners[id]];

		if (owners[id] != id && node->samples->nr) {
			add_time(rare_counters_of(&node->rare), node->samples, group->share);
			added_ns[id] += node->samples->ns * group->share;
		} else if (owners[id] == id && group->counted_ns * group->share + group->stubs_ns > 0) {
			double most_ns = fmax(path_stats(node).self_ns, 0);
			double taken_ns = fmin(group->counted_ns * group->share + group->stubs_ns, most_ns);

			rare_counters_of(&node->rare)->moved_self_ns -= taken_ns;
			added_ns[id] -= taken_ns;
		}
		if (added_ns[id] != 0)
			rare_counters_of(&node->rare)->moved_total_ns += added_ns[id];
		added_ns[node->parent->id] += added_ns[id];
	}
	free(added_ns);
	free(groups);
	free(owners);
}
