/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/model/counted_times.h"

#include <stdlib.h>

#include "analyzer/base/error.h"
#include "analyzer/model/counted_calls.h"
#include "analyzer/model/functions.h"
#include "analyzer/model/tree.h"
#include "analyzer/model/tree_walk.h"

#define LEAST_SHARE_NS	1000.0		/* of a path's time: less is not given to counted paths that no
					 * sample met there */
#define SAMPLE_ERRORS	2.0		/* so many standard errors of the samples' time */
#define AROUND_MOST	0.5		/* of the samples, what surrounds the hooks: they tell no more */
#define LEAST_ERRORS	4.0		/* fewer than 16 samples say nothing of the hooks' cost */

/* Samples of a recorded path, and of the counted paths below it. */
struct group {
	uint64_t nr;
	uint64_t nr_in_hooks;		/* in the recorder, and in the code that counts */
	double nr_ns;			/* of nr; these two without what is around hooks: */
	double own_ns;
	double counted_ns;
	double hooks_ns;		/* of nr_in_hooks, with what is around hooks */
	double stubs_ns;		/* of hooks_ns: in the code that counts, and around that */
	double lent_ns;			/* self time that counted paths below it recorded, see lend() */
	double back_share;		/* of lent_ns: what samples leave to them */
	bool has_counted;		/* there are counted paths below it */
	bool is_split;			/* their time was subtracted from its own */
};

/* A counted path below any path of one recorded function, with the samples of all of them. */
struct entry {
	const struct function *owner;
	struct function *function;
	uint32_t parent;		/* index of an entry; 0: the owner itself calls it */
	uint32_t next;			/* the owner's next entry, callers first; 0: none */
	uint64_t nr;
	double ns;
	struct tree_node *node;		/* its path below the owner's path that is being split */
};

/* All paths of one recorded function together. */
struct pool {
	struct group group;
	double recorded_ns;		/* self time of the paths, with the hooks' cost; */
	double self_ns;			/* without it; */
	double doubt_ns;		/* the uncertainty of that */
	double kept_ns;			/* self_ns as samples correct it */
	bool is_by_samples;		/* by its own samples, not by those of many functions */
	uint32_t first, last;		/* its entries; 0: none */
};

struct taker {
	struct model *model;
	size_t nr_paths;		/* number of paths at first */
	uint32_t *owners; /* [id]: the nearest recorded path: the path itself, or one above it */
	double *around;			/* [id]: the part of the path's samples that is around its hooks */
	struct group *groups;		/* [id of an owner] */
	struct pool *pools;		/* [function->number of an owner] */
	struct entry *entries;		/* [0] is not used */
	size_t nr_entries;
	double *less_doubt_ns;		/* [id]: by how much the doubt of a path's time fell */
};

static bool is_counted(const struct tree_node *node)
{
	return node->function && node->function->is_counted && !tree_is_of_counters(node);
}

/* Callers have lower ids than their callees. */
static void find_owners(struct taker *taker)
{
	for (size_t id = 1; id < taker->nr_paths; id++) {
		const struct tree_node *node = tree_node(taker->model, id);

		taker->owners[id] = is_counted(node) ? taker->owners[node->parent->id] : (uint32_t)id;
	}
}

/* Of a function, or of the counted calls below a recorded path. */
struct surroundings {
	double around_ns;		/* what is done around the hooks */
	double sampled_ns;
};

static double part_of(const struct surroundings *around)
{
	return around->sampled_ns > 0 ? around->around_ns / around->sampled_ns : 0;
}

static void add_functions_around(const struct taker *taker, struct surroundings *functions)
{
	for (size_t id = 1; id < taker->nr_paths; id++) {
		const struct tree_node *node = tree_node(taker->model, id);
		struct surroundings *function = node->function ? &functions[node->function->number] : NULL;

		if (!function)
			continue;
		function->around_ns += node->sum.cost.around_ns;
		function->sampled_ns += node->samples->ns;
	}
}

/*
 * Around its hooks a program prepares their arguments, saves registers and calls them. Samples of that are
 * in the function itself, and look like its own. At most AROUND_MOST of its samples are taken for it. If its
 * counted calls cost more, all counted calls below the same recorded path share the rest.
 */
static void find_around(struct taker *taker, size_t nr_functions)
{
	struct surroundings *functions = xcalloc(nr_functions, sizeof(*functions)),
			    *rest = xcalloc(taker->nr_paths, sizeof(*rest));

	add_functions_around(taker, functions);
	for (size_t id = 1; id < taker->nr_paths; id++) {
		const struct tree_node *node = tree_node(taker->model, id);
		struct surroundings *owners = &rest[taker->owners[id]];
		double part = node->function ? part_of(&functions[node->function->number]) : 0;

		taker->around[id] = fmin(part, AROUND_MOST);
		if (!is_counted(node))
			continue;
		owners->around_ns += node->samples->ns * (part - taker->around[id]);
		owners->sampled_ns += node->samples->ns * (1 - taker->around[id]);
	}
	for (size_t id = 1; id < taker->nr_paths; id++)
		if (is_counted(tree_node(taker->model, id)))
			taker->around[id] += (1 - taker->around[id]) *
					     fmin(part_of(&rest[taker->owners[id]]), AROUND_MOST);
	free(functions);
	free(rest);
}

/* The time of a path's samples, as far as it is its own. */
static double own_ns(const struct taker *taker, const struct tree_node *node)
{
	return node->samples->ns * (1 - taker->around[node->id]);
}

static void add_groups(struct taker *taker)
{
	for (size_t id = 1; id < taker->nr_paths; id++) {
		const struct tree_node *node = tree_node(taker->model, id);
		const struct sample_stats *samples = node->samples;
		struct group *group = &taker->groups[taker->owners[id]];
		double around_ns = samples->ns - own_ns(taker, node);

		group->has_counted |= is_counted(node);
		group->nr += samples->nr;
		group->nr_in_hooks += samples->in_hooks;
		group->nr_ns += samples->ns;
		*(is_counted(node) ? &group->counted_ns : &group->own_ns) += own_ns(taker, node);
		group->hooks_ns += samples->hooks_ns + around_ns;
		if (!taker->model->is_raw)
			group->stubs_ns += samples->stubs_ns + (is_counted(node) ? around_ns : 0);
		taker->model->around_ns += around_ns;
	}
}

static struct pool *pool_of(const struct taker *taker, const struct tree_node *owner)
{
	return owner->function ? &taker->pools[owner->function->number] : NULL;
}

static void add_pools(struct taker *taker)
{
	for (size_t id = 1; id < taker->nr_paths; id++) {
		const struct tree_node *node = tree_node(taker->model, id);
		struct pool *pool = pool_of(taker, tree_node(taker->model, taker->owners[id]));

		if (!pool)
			continue;
		pool->recorded_ns += fmax(node->sum.self_ns, 0);
		pool->self_ns += counted_times_before(node);
		pool->doubt_ns += node->hooks.self_doubt_ns;
		if (taker->owners[id] != id)
			continue;
		pool->group.nr += taker->groups[id].nr;
		pool->group.nr_in_hooks += taker->groups[id].nr_in_hooks;
		pool->group.nr_ns += taker->groups[id].nr_ns;
		pool->group.own_ns += taker->groups[id].own_ns;
		pool->group.counted_ns += taker->groups[id].counted_ns;
		pool->group.hooks_ns += taker->groups[id].hooks_ns;
		pool->group.stubs_ns += taker->groups[id].stubs_ns;
	}
}

/* The hooks' cost in recorded calls of one or more functions. */
struct hooks_cost {
	double subtracted_ns;
	double sampled_ns;		/* the same by samples in the recorder */
	double error_ns;		/* the standard error of that */
};

/* The standard error of hooks_ns: of all samples, as part of it comes from samples in functions. */
static double hooks_error_ns(const struct group *group)
{
	double sampled_ns = group->own_ns + group->counted_ns + group->hooks_ns;

	return sqrt(group->hooks_ns * sampled_ns / fmax((double)(group->nr + group->nr_in_hooks), 1));
}

static void add_cost(struct hooks_cost *cost, const struct pool *pool)
{
	cost->subtracted_ns += pool->recorded_ns - pool->self_ns;
	cost->sampled_ns += pool->group.hooks_ns - pool->group.stubs_ns;
	cost->error_ns = hypot(cost->error_ns, hooks_error_ns(&pool->group));
}

/* Are there enough samples to say that the cost is another one? */
static bool differs(const struct hooks_cost *cost)
{
	return fabs(cost->sampled_ns - cost->subtracted_ns) > SAMPLE_ERRORS * cost->error_ns &&
	       cost->sampled_ns > LEAST_ERRORS * cost->error_ns;
}

/*
 * If the hooks' cost is less certain than the samples, or these show another one, samples decide the self
 * time of a recorded function as well.
 */
static bool is_by_samples(const struct pool *pool)
{
	const struct group *group = &pool->group;
	double nr = (double)(group->nr + group->nr_in_hooks),
	       sampled_ns = group->own_ns + group->counted_ns + group->hooks_ns;
	struct hooks_cost cost = { 0 };

	add_cost(&cost, pool);
	return nr >= COUNTED_LEAST_SAMPLES && (pool->doubt_ns > sampled_ns / sqrt(nr) || differs(&cost));
}

/*
 * The rest of the recorded time, in the function and in hooks, is time off the processor. It counts if it is
 * more than the error of the samples.
 */
static double ns_by_samples(const struct pool *pool)
{
	const struct group *group = &pool->group;
	double nr = (double)(group->nr + group->nr_in_hooks),
	       sampled_ns = group->own_ns + group->counted_ns + group->hooks_ns,
	       error_ns = sampled_ns / sqrt(nr), idle_ns = pool->recorded_ns - sampled_ns,
	       self_ns = group->own_ns + group->counted_ns + group->stubs_ns;

	self_ns += idle_ns > SAMPLE_ERRORS * error_ns ? idle_ns : 0;
	return fmin(self_ns, pool->recorded_ns);
}

/* The samples of a function in which there are few are good for the sum of all these functions. */
static double ns_by_cost(const struct pool *pool, double share)
{
	const struct group *group = &pool->group;
	double least_ns = fmin(pool->self_ns, group->own_ns + group->counted_ns + group->stubs_ns);

	return fmax(pool->recorded_ns - (pool->recorded_ns - pool->self_ns) * share, least_ns);
}

static void confirm_pools(struct taker *taker, size_t nr_functions)
{
	struct hooks_cost others = { 0 };
	double share;

	for (size_t i = 0; i < nr_functions; i++)
		if (!is_by_samples(&taker->pools[i]))
			add_cost(&others, &taker->pools[i]);
	share = !taker->model->is_raw && others.subtracted_ns > 0 && differs(&others)
			? others.sampled_ns / others.subtracted_ns
			: 1;
	for (size_t i = 0; i < nr_functions; i++) {
		struct pool *pool = &taker->pools[i];

		pool->is_by_samples = !taker->model->is_raw && is_by_samples(pool);
		pool->kept_ns = pool->is_by_samples ? ns_by_samples(pool)
				: share != 1 ? ns_by_cost(pool, share) : pool->self_ns;
	}
}

static uint32_t find_entry(struct taker *taker, const struct tree_node *owner, struct function *function,
			   uint32_t parent)
{
	struct pool *pool = pool_of(taker, owner);

	for (uint32_t i = pool->first; i; i = taker->entries[i].next)
		if (taker->entries[i].function == function && taker->entries[i].parent == parent)
			return i;
	taker->entries = xgrow(taker->entries, taker->nr_entries, sizeof(*taker->entries));
	taker->entries[taker->nr_entries] =
		(struct entry){ .owner = owner->function, .function = function, .parent = parent };
	if (pool->last)
		taker->entries[pool->last].next = (uint32_t)taker->nr_entries;
	else
		pool->first = (uint32_t)taker->nr_entries;
	pool->last = (uint32_t)taker->nr_entries;
	return (uint32_t)taker->nr_entries++;
}

static void make_entries(struct taker *taker)
{
	uint32_t *entry_of = xcalloc(taker->nr_paths, sizeof(*entry_of));

	taker->entries = xgrow(NULL, 0, sizeof(*taker->entries));
	taker->nr_entries = 1;
	for (size_t id = 1; id < taker->nr_paths; id++) {
		const struct tree_node *node = tree_node(taker->model, id),
				       *owner = tree_node(taker->model, taker->owners[id]);
		struct entry *entry;

		if (taker->owners[id] == id || !taker->owners[id] || !node->samples->total_nr)
			continue;
		entry_of[id] = find_entry(taker, owner, node->function, entry_of[node->parent->id]);
		entry = &taker->entries[entry_of[id]];
		entry->nr += node->samples->nr;
		entry->ns += own_ns(taker, node);
	}
	free(entry_of);
}

/* Recorded self time of a counted path, of which samples confirm as much as of its owner's. */
static double lent_ns(const struct taker *taker, const struct tree_node *node)
{
	const struct pool *pool = pool_of(taker, tree_node(taker->model, taker->owners[node->id]));
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
	for (size_t id = 1; id < taker->nr_paths; id++)
		if (taker->owners[id] && taker->owners[id] != id)
			taker->groups[taker->owners[id]].lent_ns +=
				lent_ns(taker, tree_node(taker->model, id));
}

static double mean_sample_ns(const struct group *group)
{
	return group->nr ? group->nr_ns / (double)group->nr : 0;
}

/* The standard error of a number of samples is its square root. */
static void give(struct tree_node *node, double ns, double sample_ns)
{
	struct rare_counters *rare = rare_counters_of(&node->rare);

	rare->moved_self_ns += ns;
	rare->sampled_ns += ns;
	rare->moved_self_variance_ns2 += ns * sample_ns;
}

static void take(struct tree_node *node, double ns)
{
	if (ns != 0)
		rare_counters_of(&node->rare)->moved_self_ns -= ns;
}

/* Counted calls without a recorded call around them: no other path's time includes theirs. */
static void keep_outside(struct taker *taker)
{
	for (size_t id = 1; id < taker->nr_paths; id++) {
		struct tree_node *node = tree_node(taker->model, id);

		if (!taker->owners[id] && node->samples->nr)
			give(node, own_ns(taker, node), node->samples->ns / (double)node->samples->nr);
	}
}

/*
 * The part of the counted paths' sampled time that is taken from the recorded path's self time. If the time
 * of all samples equals that self time within their error, they divide it.
 */
static double counted_share(const struct group *group, double room_ns)
{
	double sampled_ns = group->own_ns + group->counted_ns, left_ns = fmax(room_ns - group->stubs_ns, 0);

	if (!(group->counted_ns > 0))
		return 0;
	if (fabs(left_ns - sampled_ns) <= SAMPLE_ERRORS * sampled_ns / sqrt((double)group->nr))
		return left_ns / sampled_ns;
	return fmin(1, left_ns / group->counted_ns);
}

/*
 * The self time of a recorded path above counted ones is a rest. On a busy machine most of that may be time
 * off the processor, so its CPU time is limited to what its own samples, @own_ns of @sample_ns each, can
 * stand for. The same holds for a library call that waits, whose CPU time is a small rest of a long wait.
 */
static void set_most_cpu(struct tree_node *owner, double own_ns, double sample_ns)
{
	rare_counters_of(&owner->rare)->most_cpu_ns =
		own_ns + SAMPLE_ERRORS * sqrt(own_ns * sample_ns + sample_ns * sample_ns);
}

/*
 * Take @taken_ns of @self_ns, the path's own, and of what counted paths lent it. The rest is its own time
 * first.
 */
static void settle(struct taker *taker, struct tree_node *owner, double self_ns, double taken_ns)
{
	struct group *group = &taker->groups[owner->id];
	double left_ns = fmax(self_ns + group->lent_ns - taken_ns, 0), kept_ns = fmin(self_ns, left_ns);

	take(owner, self_ns - kept_ns);
	group->back_share = group->lent_ns > 0 ? (left_ns - kept_ns) / group->lent_ns : 0;
	group->is_split = true;
}

/*
 * Split a path with few samples by those of all paths of its function. Self time in excess of the CPU time of
 * samples is waiting, which stays with the caller.
 */
static void split_by_pool(struct taker *taker, struct tree_node *owner, double self_ns)
{
	const double room_ns = self_ns + taker->groups[owner->id].lent_ns;
	const struct pool *pool = pool_of(taker, owner);
	const struct group *group = &pool->group;
	double share = room_ns / fmax(pool->kept_ns, group->own_ns + group->counted_ns + group->stubs_ns),
	       given_ns = 0;

	if (group->nr < COUNTED_LEAST_SAMPLES || group->counted_ns * share < LEAST_SHARE_NS)
		return;
	for (uint32_t i = pool->first; i; i = taker->entries[i].next) {
		struct entry *entry = &taker->entries[i];
		struct tree_node *above = entry->parent ? taker->entries[entry->parent].node : owner;

		entry->node = tree_child(taker->model, above, entry->function);
		if (!(entry->ns * share > 0))
			continue;
		give(entry->node, entry->ns * share, entry->ns / (double)entry->nr);
		given_ns += entry->ns * share;
	}
	settle(taker, owner, self_ns, given_ns + group->stubs_ns * share);
	set_most_cpu(owner, group->own_ns * share, mean_sample_ns(group));
}

/* The doubt of a self time by samples is its standard error. */
static void take_unconfirmed(struct taker *taker, struct tree_node *node)
{
	const struct pool *pool = pool_of(taker, node);
	const struct group *group = &pool->group;
	double self_ns = fmax(path_stats(node).self_ns, 0);
	double share = pool->self_ns > 0 ? self_ns / pool->self_ns :
					   fmax(node->sum.self_ns, 0) / pool->recorded_ns;
	double sample_ns = mean_sample_ns(group);
	struct rare_counters *rare;

	if (pool->kept_ns == pool->self_ns || !(share > 0))
		return;
	take(node, self_ns - pool->kept_ns * share);
	if (!pool->is_by_samples)
		return;
	rare = rare_counters_of(&node->rare);
	rare->sampled_ns += group->own_ns * share;
	rare->moved_self_variance_ns2 += group->own_ns * share * sample_ns;
	taker->less_doubt_ns[node->id] = node->hooks.self_doubt_ns - hooks_error_ns(group) * share;
	node->hooks.self_doubt_ns = 0;
}

static void split(struct taker *taker)
{
	double *share_of = xcalloc(taker->nr_paths, sizeof(*share_of));

	for (size_t id = 1; id < taker->nr_paths; id++) {
		struct tree_node *node = tree_node(taker->model, id);
		const struct group *group = &taker->groups[id];
		double self_ns, room_ns;

		if (taker->owners[id] != id)
			continue;
		take_unconfirmed(taker, node);
		self_ns = fmax(path_stats(node).self_ns, 0);
		room_ns = self_ns + group->lent_ns;
		if (group->nr >= COUNTED_LEAST_SAMPLES) {
			share_of[id] = counted_share(group, room_ns);
			settle(taker, node, self_ns, group->counted_ns * share_of[id] + group->stubs_ns);
			if (share_of[id] > 0 || (node->function && node->function->wait))
				set_most_cpu(node, group->own_ns, mean_sample_ns(group));
		} else if (pool_of(taker, node)->first) {
			split_by_pool(taker, node, self_ns);
		}
	}
	for (size_t id = 1; id < taker->nr_paths; id++) {
		struct tree_node *node = tree_node(taker->model, id);
		const struct group *group = &taker->groups[taker->owners[id]];
		double share = taker->owners[id] == id ? 0 : share_of[taker->owners[id]];

		if (taker->owners[id] != id && group->is_split)
			take(node, counted_times_before(node) - lent_ns(taker, node) * group->back_share);
		if (share > 0 && node->samples->nr)
			give(node, own_ns(taker, node) * share,
			     node->samples->ns / (double)node->samples->nr);
	}
	free(share_of);
}

/*
 * Add the paths below to totals. The doubt about counted paths is also a doubt about their caller's self
 * time.
 */
static void add_to_totals(const struct taker *taker)
{
	struct model *model = taker->model;
	double *less_doubt_ns = taker->less_doubt_ns;
	double *added_ns = xcalloc(model->nr_tree_nodes, sizeof(*added_ns));
	double *variance_ns2 = xcalloc(model->nr_tree_nodes, sizeof(*variance_ns2));

	for (size_t id = model->nr_tree_nodes; id-- > 1;) {
		struct tree_node *node = tree_node(model, id);
		struct rare_counters *rare;

		if (id < taker->nr_paths) {
			node->hooks.total_doubt_ns = fmax(node->hooks.total_doubt_ns - less_doubt_ns[id], 0);
			less_doubt_ns[node->parent->id] += less_doubt_ns[id];
		}
		added_ns[id] += node->rare->moved_self_ns;
		added_ns[node->parent->id] += added_ns[id];
		if (added_ns[id] == 0 && !(variance_ns2[id] > 0) &&
		    !(node->rare->moved_self_variance_ns2 > 0))
			continue;
		rare = rare_counters_of(&node->rare);
		rare->moved_total_ns += added_ns[id];
		if (!is_counted(node)) {
			rare->moved_self_variance_ns2 += variance_ns2[id];
			continue;
		}
		rare->moved_total_variance_ns2 += variance_ns2[id] + rare->moved_self_variance_ns2;
		variance_ns2[node->parent->id] += rare->moved_total_variance_ns2;
	}
	free(variance_ns2);
	free(added_ns);
}

/*
 * Calls of a counted path that were open when its function became counted may have ended unseen. Recorded
 * calls in them are within its total all the same.
 */
static void add_recorded(const struct taker *taker)
{
	for (size_t id = taker->model->nr_tree_nodes; id-- > 1;) {
		struct tree_node *node = tree_node(taker->model, id);
		const struct call_stats stats = path_stats(node);
		double below_ns = node->rare->recorded_below_ns, self_ns = fmax(stats.self_ns, 0);

		if (is_counted(node) && stats.total_ns < self_ns + below_ns)
			rare_counters_of(&node->rare)->moved_total_ns +=
				self_ns + below_ns - stats.total_ns;
		else if (!is_counted(node))
			below_ns = fmax(stats.total_ns, 0);
		if (is_counted(node->parent) && below_ns > 0)
			rare_counters_of(&node->parent->rare)->recorded_below_ns += below_ns;
	}
}

static void mark_holders(const struct taker *taker)
{
	for (size_t id = 1; id < taker->nr_paths; id++)
		if (taker->groups[id].has_counted && !taker->groups[id].is_split)
			rare_counters_of(&tree_node(taker->model, id)->rare)->holds_counted = true;
}

void counted_times_take(struct model *model)
{
	struct taker taker = { .model = model };
	size_t nr_functions = functions_count(&model->tables->functions) + 1;

	if (!counted_calls_find(model))
		return;
	taker.nr_paths = model->nr_tree_nodes;
	taker.owners = xcalloc(taker.nr_paths, sizeof(*taker.owners));
	taker.groups = xcalloc(taker.nr_paths, sizeof(*taker.groups));
	taker.pools = xcalloc(nr_functions, sizeof(*taker.pools));
	taker.around = xcalloc(taker.nr_paths, sizeof(*taker.around));
	taker.less_doubt_ns = xcalloc(taker.nr_paths, sizeof(*taker.less_doubt_ns));
	find_owners(&taker);
	if (!model->is_raw)
		find_around(&taker, nr_functions);
	add_groups(&taker);
	add_pools(&taker);
	confirm_pools(&taker, nr_functions);
	make_entries(&taker);
	keep_outside(&taker);
	lend(&taker);
	split(&taker);
	mark_holders(&taker);
	add_to_totals(&taker);
	add_recorded(&taker);
	counted_calls_place(model);
	free(taker.less_doubt_ns);
	free(taker.owners);
	free(taker.around);
	free(taker.groups);
	free(taker.pools);
	free(taker.entries);
}
