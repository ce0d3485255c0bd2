/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/counted/counted_times.h"

#include <stdlib.h>

#include "analyzer/base/error.h"
#include "analyzer/counted/counted_calls.h"
#include "analyzer/counted/counted_samples.h"
#include "analyzer/model/tree.h"
#include "analyzer/model/tree_walk.h"

#define LEAST_SHARE_NS	1000.0		/* of a path's time: less is not taken out for counted paths that no
					 * sample met there */

/* A counted path below any path of one recorded function, with the samples of all of them. */
struct entry {
	struct function *function;
	uint32_t parent;		/* these three: index of an entry; 0: none, the owner calls it */
	uint32_t child;			/* the first one */
	uint32_t next;			/* of the same caller */
	uint64_t nr;
	double ns;
	double around_ns;		/* what is around the hooks: not in ns */
	struct tree_node *node;		/* its path below the owner's path that is being divided */
};

/* How the self time of a recorded path was divided. */
struct division {
	double lent_ns;			/* self time that counted paths below it recorded, see lend() */
	double back_share;		/* of lent_ns: what samples leave to them */
	double given_share;		/* of the sampled time of counted paths below it */
	bool is_divided;
};

struct taker {
	struct counted_samples samples;
	struct entry *entries;		/* [0] is not used */
	size_t nr_entries;
	uint32_t *first_entries;	/* [function->number of an owner]: that it calls itself; 0: none */
	struct division *divisions;	/* [id of an owner] */
};

/* The nearest recorded path: @id itself, or one above it; 0: none. */
static uint32_t owner_of(const struct taker *taker, size_t id)
{
	return taker->samples.owners[id];
}

static struct tree_node *node_at(const struct taker *taker, size_t id)
{
	return tree_node(taker->samples.model, id);
}

static uint32_t find_entry(struct taker *taker, const struct tree_node *owner, struct function *function,
			   uint32_t parent)
{
	uint32_t *first = parent ? &taker->entries[parent].child :
				   &taker->first_entries[owner->function->number];
	struct entry entry = { .function = function, .parent = parent, .next = *first };

	for (uint32_t i = *first; i; i = taker->entries[i].next)
		if (taker->entries[i].function == function)
			return i;
	*first = (uint32_t)taker->nr_entries;
	APPEND(taker->entries, taker->nr_entries) = entry;
	return (uint32_t)taker->nr_entries - 1;
}

/* The next entry of the same owner, callers first; 0: it was the last. */
static uint32_t next_entry(const struct taker *taker, uint32_t i)
{
	if (taker->entries[i].child)
		return taker->entries[i].child;
	while (i && !taker->entries[i].next)
		i = taker->entries[i].parent;
	return taker->entries[i].next;
}

static void make_entries(struct taker *taker)
{
	uint32_t *entry_of = xcalloc(taker->samples.nr_paths, sizeof(*entry_of));

	APPEND(taker->entries, taker->nr_entries) = (struct entry){ .parent = 0 };
	for (size_t id = 1; id < taker->samples.nr_paths; id++) {
		const struct tree_node *node = node_at(taker, id),
				       *owner = node_at(taker, owner_of(taker, id));
		struct entry *entry;

		if (owner_of(taker, id) == id || !owner_of(taker, id) || !node->samples->total_nr)
			continue;
		entry_of[id] = find_entry(taker, owner, node->function, entry_of[node->parent->id]);
		entry = &taker->entries[entry_of[id]];
		entry->nr += node->samples->nr;
		entry->ns += counted_samples_own_ns(&taker->samples, node);
		entry->around_ns += counted_samples_around_ns(&taker->samples, node);
	}
	free(entry_of);
}

/* Recorded self time of a counted path, of which samples confirm as much as of its owner's. */
static double lent_ns(const struct taker *taker, const struct tree_node *node)
{
	const struct tree_node *owner = node_at(taker, owner_of(taker, node->id));
	const struct sample_pool *pool = counted_samples_pool(&taker->samples, owner);
	double self_ns = counted_times_before(node);

	return pool && pool->self_ns > 0 ? self_ns * pool->kept_ns / pool->self_ns : self_ns;
}

/*
 * A counted path recorded its first calls, and those that were open when it became counted: an interpreter's
 * outermost call lasts as long as the program. Counted calls were made in these too. So that time is split
 * together with the owner's.
 */
static void lend(struct taker *taker)
{
	for (size_t id = 1; id < taker->samples.nr_paths; id++)
		if (owner_of(taker, id) != id)
			taker->divisions[owner_of(taker, id)].lent_ns += lent_ns(taker, node_at(taker, id));
}

/*
 * The standard error of a number of samples is its square root. That of what is around the hooks is the same
 * for all functions of a program: it adds up in totals, as doubts do.
 */
static void give(struct tree_node *node, double ns, double sample_ns, double around_ns)
{
	struct rare_counters *rare = rare_counters_of(&node->rare);

	rare->moved_self_ns += ns;
	rare->sampled_ns += ns;
	rare->moved_self_variance_ns2 += ns * sample_ns;
	rare->moved_self_doubt_ns += AROUND_ERROR * around_ns;
}

/* A part of the time of a counted path's own samples. */
static void give_sampled(const struct taker *taker, struct tree_node *node, double share)
{
	const struct sample_stats *samples = node->samples;

	if (samples->nr && share > 0)
		give(node, counted_samples_own_ns(&taker->samples, node) * share,
		     samples->ns / (double)samples->nr,
		     counted_samples_around_ns(&taker->samples, node) * share);
}

static void take(struct tree_node *node, double ns)
{
	if (ns != 0)
		rare_counters_of(&node->rare)->moved_self_ns -= ns;
}

/*
 * The part of the counted paths' sampled time that is taken from the recorded path's self time. If the time
 * of all samples equals that self time within their error, they divide it.
 */
static double counted_share(const struct sample_group *group, double room_ns)
{
	double sampled_ns = group->own_ns + group->counted_ns, left_ns = fmax(room_ns - group->stubs_ns, 0);

	if (!(group->counted_ns > 0))
		return 0;
	if (fabs(left_ns - sampled_ns) <= SAMPLE_ERRORS * sampled_ns / sqrt((double)group->nr))
		return left_ns / sampled_ns;
	return fmin(1, left_ns / group->counted_ns);
}

/* The most time that some samples can stand for: their sum is @sampled_ns, one is @sample_ns. */
static double most_ns(double sampled_ns, double sample_ns)
{
	return sampled_ns + SAMPLE_ERRORS * sqrt(sampled_ns * sample_ns + sample_ns * sample_ns);
}

/*
 * The self time of a recorded path above counted ones is a rest. On a busy machine most of that may be time
 * off the processor, so its CPU time is limited to what its own samples can stand for. The same holds for a
 * library call that waits, whose CPU time is a small rest of a long wait.
 */
static void set_cpu_bounds(struct tree_node *owner, double own_ns, double sample_ns)
{
	struct rare_counters *rare = rare_counters_of(&owner->rare);

	rare->most_cpu_ns = most_ns(own_ns, sample_ns);
	rare->least_cpu_ns = fmax(2 * own_ns - rare->most_cpu_ns, 0);
}

/*
 * Take @taken_ns of @self_ns, the path's own, and of what counted paths lent it. The rest is its own time
 * first.
 */
static void settle(struct taker *taker, struct tree_node *owner, double self_ns, double taken_ns)
{
	struct division *division = &taker->divisions[owner->id];
	double left_ns = fmax(self_ns + division->lent_ns - taken_ns, 0), kept_ns = fmin(self_ns, left_ns);

	take(owner, self_ns - kept_ns);
	division->back_share = division->lent_ns > 0 ? (left_ns - kept_ns) / division->lent_ns : 0;
	division->is_divided = true;
}

/*
 * Counted calls without a recorded call around them: no time includes theirs, except for what they recorded
 * themselves.
 */
static void divide_outside(struct taker *taker)
{
	const struct sample_group *group = &taker->samples.groups[0];

	settle(taker, taker->samples.model->root, 0, group->counted_ns + group->stubs_ns);
	taker->divisions[0].given_share = 1;
}

/*
 * Divide a path with few samples by those of all paths of its function. Self time in excess of the CPU time
 * of samples is waiting, which stays with the caller.
 */
static void divide_by_pool(struct taker *taker, struct tree_node *owner, double self_ns)
{
	const double room_ns = self_ns + taker->divisions[owner->id].lent_ns;
	const struct sample_pool *pool = counted_samples_pool(&taker->samples, owner);
	const struct sample_group *group = &pool->group;
	double share = room_ns / fmax(pool->kept_ns, sample_group_divided_ns(group)), given_ns = 0;

	if ((group->counted_ns + group->stubs_ns) * share < LEAST_SHARE_NS)
		return;
	for (uint32_t i = taker->first_entries[owner->function->number]; i; i = next_entry(taker, i)) {
		struct entry *entry = &taker->entries[i];
		struct tree_node *above = entry->parent ? taker->entries[entry->parent].node : owner;

		entry->node = tree_child(taker->samples.model, above, entry->function);
		if (!(entry->ns * share > 0))
			continue;
		give(entry->node, entry->ns * share, entry->ns / (double)entry->nr, entry->around_ns * share);
		given_ns += entry->ns * share;
	}
	settle(taker, owner, self_ns, given_ns + group->stubs_ns * share);
	set_cpu_bounds(owner, group->own_ns * share, sample_group_mean_ns(group));
}

/*
 * A function with few samples keeps the time of counted calls, but not what it costs to count them. Few
 * samples are a poor measure of that: their error is doubt. They are a good one in the totals of its callers.
 */
static void take_stubs(struct taker *taker, struct tree_node *owner, double self_ns)
{
	const struct sample_pool *pool = counted_samples_pool(&taker->samples, owner);
	const double stubs_ns = pool->group.stubs_ns;
	double share, error_ns;

	if (!(stubs_ns > 0 && pool->kept_ns > 0))
		return;
	share = self_ns / fmax(pool->kept_ns, stubs_ns);
	error_ns = sqrt(stubs_ns * taker->samples.mean_ns) * share;
	take(owner, stubs_ns * share);
	rare_counters_of(&owner->rare)->moved_self_doubt_ns += error_ns;
}

/* Doubt about the hooks of what the path called. Totals include it once, as part of the callees' totals. */
static double callees_doubt_ns(const struct tree_node *node)
{
	double doubt_ns = 0;

	for (const struct tree_node *callee = node->child; callee; callee = callee->next)
		doubt_ns += callee->sum.cost.noise_ns;
	return doubt_ns;
}

/* The doubt of a self time by samples is its standard error. */
static void take_unconfirmed(struct taker *taker, struct tree_node *node)
{
	const struct sample_pool *pool = counted_samples_pool(&taker->samples, node);
	const struct sample_group *group = &pool->group;
	double self_ns = fmax(path_stats(node).self_ns, 0);
	double share = pool->self_ns > 0 ? self_ns / pool->self_ns :
					   fmax(node->sum.self_ns, 0) / pool->recorded_ns;
	double sample_ns = sample_group_mean_ns(group);
	struct rare_counters *rare;

	if (pool->kept_ns == pool->self_ns)
		return;
	share = fmax(share, 0);		/* NAN: nothing was recorded */
	take(node, self_ns - pool->kept_ns * share);
	if (!pool->is_by_samples)
		return;
	rare = rare_counters_of(&node->rare);
	rare->sampled_ns += group->own_ns * share;
	rare->moved_self_variance_ns2 += group->own_ns * share * sample_ns;
	rare->moved_self_doubt_ns += AROUND_ERROR * group->around_ns * share - node->hooks.self_doubt_ns;
	rare->moved_total_doubt_ns +=
		callees_doubt_ns(node) + sample_group_error_ns(group, group->hooks_ns) * share;
}

static void divide(struct taker *taker, struct tree_node *owner)
{
	const struct sample_group *group = &taker->samples.groups[owner->id];
	const struct sample_pool *pool = counted_samples_pool(&taker->samples, owner);
	struct division *division = &taker->divisions[owner->id];
	const double self_ns = fmax(path_stats(owner).self_ns, 0);

	if (counted_samples_suffice(&taker->samples, group)) {
		division->given_share = counted_share(group, self_ns + division->lent_ns);
		settle(taker, owner, self_ns, group->counted_ns * division->given_share + group->stubs_ns);
		if (division->given_share > 0 || pool->is_by_samples || owner->function->wait)
			set_cpu_bounds(owner, group->own_ns, sample_group_mean_ns(group));
	} else if (counted_samples_suffice(&taker->samples, &pool->group)) {
		divide_by_pool(taker, owner, self_ns);
	} else {
		take_stubs(taker, owner, self_ns);
	}
}

/* Give a counted path its part of what was taken from its owner, and take from it what it lent. */
static void settle_counted(struct taker *taker, struct tree_node *node, const struct division *division)
{
	if (division->is_divided)
		take(node, counted_times_before(node) - lent_ns(taker, node) * division->back_share);
	give_sampled(taker, node, division->given_share);
}

static void divide_all(struct taker *taker)
{
	for (size_t id = 1; id < taker->samples.nr_paths; id++) {
		if (owner_of(taker, id) != id)
			continue;
		take_unconfirmed(taker, node_at(taker, id));
		divide(taker, node_at(taker, id));
	}
	for (size_t id = 1; id < taker->samples.nr_paths; id++)
		if (owner_of(taker, id) != id)
			settle_counted(taker, node_at(taker, id), &taker->divisions[owner_of(taker, id)]);
}

/*
 * By how much samples raise the doubt of a path's total. @below_ns: that of the paths below. A total is at
 * least as doubtful as the self time in it.
 */
static double more_doubt_ns(const struct tree_node *node, double below_ns)
{
	const struct rare_counters *rare = node->rare;
	double least_ns = node->hooks.self_doubt_ns - node->hooks.total_doubt_ns;

	return rare->moved_self_doubt_ns + fmax(below_ns + rare->moved_total_doubt_ns, least_ns);
}

/* Samples of such a process know the innermost counted function only, not those that called it. */
static bool lacks_callers(const struct model *model)
{
	for (size_t i = 0; i < model->nr_processes; i++)
		if (process_fact(model->processes[i], "samples_without_callers"))
			return true;
	return false;
}

/*
 * Add the paths below to totals. The variance of counted paths is also one of their caller's self time. What
 * is missing in their totals is doubt of these alone: recorded callers have it.
 */
static void add_to_totals(const struct taker *taker)
{
	struct model *model = taker->samples.model;
	const bool is_cut = lacks_callers(model);
	double *added_ns = xcalloc(model->nr_tree_nodes, sizeof(*added_ns));
	double *variance_ns2 = xcalloc(model->nr_tree_nodes, sizeof(*variance_ns2));
	double *doubt_ns = xcalloc(model->nr_tree_nodes, sizeof(*doubt_ns));

	for (size_t id = model->nr_tree_nodes; id-- > 1;) {
		struct tree_node *node = tree_node(model, id);
		struct rare_counters *rare;

		added_ns[id] += node->rare->moved_self_ns;
		added_ns[node->parent->id] += added_ns[id];
		doubt_ns[id] = more_doubt_ns(node, doubt_ns[id]);
		doubt_ns[node->parent->id] += doubt_ns[id];
		if (added_ns[id] == 0 && doubt_ns[id] == 0 && !(variance_ns2[id] > 0) &&
		    !(node->rare->moved_self_variance_ns2 > 0))
			continue;
		rare = rare_counters_of(&node->rare);
		rare->moved_total_ns += added_ns[id];
		rare->moved_total_doubt_ns = doubt_ns[id];
		if (!counted_samples_is_counted(node)) {
			rare->moved_self_variance_ns2 += variance_ns2[id];
			continue;
		}
		if (is_cut)
			rare->moved_total_doubt_ns += fmax(added_ns[id], 0);
		rare->moved_total_variance_ns2 += variance_ns2[id] + rare->moved_self_variance_ns2;
		variance_ns2[node->parent->id] += rare->moved_total_variance_ns2;
	}
	free(doubt_ns);
	free(variance_ns2);
	free(added_ns);
}

/*
 * Calls of a counted path that were open when its function became counted may have ended unseen. Recorded
 * calls in them are within its total all the same.
 */
static void add_recorded(const struct taker *taker)
{
	for (size_t id = taker->samples.model->nr_tree_nodes; id-- > 1;) {
		struct tree_node *node = node_at(taker, id);
		const struct call_stats stats = path_stats(node);
		double below_ns = node->rare->recorded_below_ns, self_ns = fmax(stats.self_ns, 0);

		if (counted_samples_is_counted(node) && stats.total_ns < self_ns + below_ns)
			rare_counters_of(&node->rare)->moved_total_ns +=
				self_ns + below_ns - stats.total_ns;
		else if (!counted_samples_is_counted(node))
			below_ns = fmax(stats.total_ns, 0);
		if (counted_samples_is_counted(node->parent) && below_ns > 0)
			rare_counters_of(&node->parent->rare)->recorded_below_ns += below_ns;
	}
}

static void mark_holders(const struct taker *taker)
{
	for (size_t id = 1; id < taker->samples.nr_paths; id++)
		if (taker->samples.groups[id].has_counted && !taker->divisions[id].is_divided)
			rare_counters_of(&node_at(taker, id)->rare)->holds_counted = true;
}

void counted_times_take(struct model *model)
{
	struct taker taker = { 0 };

	counted_samples_find(&taker.samples, model);
	taker.first_entries = xcalloc(taker.samples.nr_functions, sizeof(*taker.first_entries));
	taker.divisions = xcalloc(taker.samples.nr_paths, sizeof(*taker.divisions));
	make_entries(&taker);
	lend(&taker);
	divide_outside(&taker);
	divide_all(&taker);
	mark_holders(&taker);
	add_to_totals(&taker);
	add_recorded(&taker);
	counted_calls_place(model);
	counted_samples_free(&taker.samples);
	free(taker.first_entries);
	free(taker.divisions);
	free(taker.entries);
}
