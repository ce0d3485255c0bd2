/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/counted/counted_samples.h"

#include <stdlib.h>

#include "analyzer/base/error.h"
#include "analyzer/counted/counted_times.h"
#include "analyzer/model/functions.h"
#include "analyzer/model/tree.h"
#include "analyzer/model/tree_walk.h"

#define AROUND_MOST	0.5		/* of the samples that are left, what surrounds the hooks, in each of
					 * three steps */
#define UNMET_MOST	3.0		/* samples of a function that has none: a chance of one in twenty */
#define LEAST_ERRORS	4.0		/* fewer than 16 samples say nothing of the hooks' cost */

bool counted_samples_is_counted(const struct tree_node *path)
{
	return path->function && path->function->is_counted && !tree_is_of_counters(path);
}

/* Callers have lower ids than their callees. */
static void find_owners(struct counted_samples *counted)
{
	for (size_t id = 1; id < counted->nr_paths; id++) {
		const struct tree_node *node = tree_node(counted->model, id);

		counted->owners[id] = counted_samples_is_counted(node) ? counted->owners[node->parent->id]
								       : (uint32_t)id;
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

static void add_functions_around(const struct counted_samples *counted, struct surroundings *functions)
{
	for (size_t id = 1; id < counted->nr_paths; id++) {
		const struct tree_node *node = tree_node(counted->model, id);
		struct surroundings *function = node->function ? &functions[node->function->number] : NULL;

		if (!function)
			continue;
		function->around_ns += node->sum.cost.around_ns;
		function->sampled_ns += node->samples->ns;
	}
}

static void add_around(struct counted_samples *counted, size_t id, double part)
{
	counted->around[id] += (1 - counted->around[id]) * fmin(part, AROUND_MOST);
}

static void find_mean(struct counted_samples *counted)
{
	double ns = 0, nr = 0;

	for (size_t id = 1; id < counted->nr_paths; id++) {
		ns += tree_node(counted->model, id)->samples->ns;
		nr += (double)tree_node(counted->model, id)->samples->nr;
	}
	counted->mean_ns = nr > 0 ? ns / nr : 0;
}

/*
 * Two sums: what surrounds the hooks of counted functions that no sample met; and the samples of the other
 * counted functions, which share it. If more than UNMET_MOST samples should have met a function, samples did
 * not see its thread. Where calls are left out, their samples are their callers'.
 */
static struct surroundings find_unmet(struct counted_samples *counted, struct surroundings *functions)
{
	const double most_ns = UNMET_MOST * counted->mean_ns;
	const bool are_left_out = counted->model->selection.is_on;
	struct surroundings unmet = { 0 };

	for (size_t id = 1; id < counted->nr_paths; id++) {
		const struct tree_node *node = tree_node(counted->model, id);
		struct surroundings *function = node->function ? &functions[node->function->number] : NULL;

		if (function && node->function->is_counted && function->sampled_ns == 0) {
			if (are_left_out)
				counted->left_out_ns += function->around_ns;
			else
				unmet.around_ns += fmin(function->around_ns, most_ns);
			function->around_ns = 0;
		}
		if (counted_samples_is_counted(node))
			unmet.sampled_ns += counted_samples_own_ns(counted, node);
	}
	return unmet;
}

/*
 * Around its hooks a program prepares their arguments, saves registers and calls them. Samples of that are
 * in the function itself, and look like its own. At most AROUND_MOST of its samples are taken for it. If its
 * counted calls cost more, all counted calls below the same recorded path share the rest, and lose at most
 * AROUND_MOST of what is left to them. All counted calls share what is around those that no sample met: many
 * functions of a large program have too few for one.
 */
static void find_around(struct counted_samples *counted)
{
	struct surroundings *functions = xcalloc(counted->nr_functions, sizeof(*functions)),
			    *rest = xcalloc(counted->nr_paths, sizeof(*rest)), unmet;

	add_functions_around(counted, functions);
	for (size_t id = 1; id < counted->nr_paths; id++) {
		const struct tree_node *node = tree_node(counted->model, id);
		struct surroundings *owners = &rest[counted->owners[id]];
		double part = node->function ? part_of(&functions[node->function->number]) : 0;

		add_around(counted, id, part);
		if (!counted_samples_is_counted(node))
			continue;
		owners->around_ns += node->samples->ns * (part - counted->around[id]);
		owners->sampled_ns += counted_samples_own_ns(counted, node);
	}
	for (size_t id = 1; id < counted->nr_paths; id++)
		if (counted_samples_is_counted(tree_node(counted->model, id)))
			add_around(counted, id, part_of(&rest[counted->owners[id]]));
	unmet = find_unmet(counted, functions);
	for (size_t id = 1; id < counted->nr_paths; id++)
		if (counted_samples_is_counted(tree_node(counted->model, id)))
			add_around(counted, id, part_of(&unmet));
	free(functions);
	free(rest);
}

/*
 * Samples of counted calls that are left out are their callers', with what is around the hooks. How many of
 * these calls each recorded path made is known by the samples in the code that counted them.
 */
static void find_left_out(struct counted_samples *counted)
{
	struct surroundings *rest = xcalloc(counted->nr_paths, sizeof(*rest));
	double stubs_ns = 0;

	for (size_t id = 1; id < counted->nr_paths; id++) {
		const struct tree_node *node = tree_node(counted->model, id);

		stubs_ns += node->samples->stubs_ns;
		rest[counted->owners[id]].around_ns += counted->left_out_ns * node->samples->stubs_ns;
		rest[counted->owners[id]].sampled_ns += counted_samples_own_ns(counted, node);
	}
	for (size_t id = 1; id < counted->nr_paths && stubs_ns > 0; id++) {
		double part = part_of(&rest[counted->owners[id]]) / stubs_ns;

		if (counted_samples_is_counted(tree_node(counted->model, id)))
			add_around(counted, id, part);
		else
			counted->left_out[id] = fmin(part, AROUND_MOST);
	}
	free(rest);
}

double counted_samples_own_ns(const struct counted_samples *counted, const struct tree_node *path)
{
	return path->samples->ns * (1 - counted->around[path->id]);
}

double counted_samples_around_ns(const struct counted_samples *counted, const struct tree_node *path)
{
	return path->samples->ns * counted->around[path->id];
}

static void add_path(struct counted_samples *counted, const struct tree_node *path)
{
	const struct sample_stats *samples = path->samples;
	struct sample_group *group = &counted->groups[counted->owners[path->id]];
	double own_ns = counted_samples_own_ns(counted, path),
	       around_ns = counted_samples_around_ns(counted, path),
	       left_out_ns = own_ns * counted->left_out[path->id];
	bool is_counted = counted_samples_is_counted(path);

	group->has_counted |= is_counted;
	group->nr += samples->nr;
	group->nr_in_hooks += samples->in_hooks;
	group->nr_ns += samples->ns;
	*(is_counted ? &group->counted_ns : &group->own_ns) += own_ns - left_out_ns;
	group->hooks_ns += samples->hooks_ns + around_ns + left_out_ns;
	group->around_ns += is_counted ? 0 : around_ns;
	if (!counted->model->is_raw)
		group->stubs_ns += samples->stubs_ns + left_out_ns + (is_counted ? around_ns : 0);
	counted->model->around_ns += around_ns + left_out_ns;
}

static void add_group(struct sample_group *sum, const struct sample_group *group)
{
	sum->nr += group->nr;
	sum->nr_in_hooks += group->nr_in_hooks;
	sum->nr_ns += group->nr_ns;
	sum->own_ns += group->own_ns;
	sum->counted_ns += group->counted_ns;
	sum->hooks_ns += group->hooks_ns;
	sum->around_ns += group->around_ns;
	sum->stubs_ns += group->stubs_ns;
	sum->has_counted |= group->has_counted;
}

static void add_groups(struct counted_samples *counted)
{
	for (size_t id = 1; id < counted->nr_paths; id++)
		add_path(counted, tree_node(counted->model, id));
}

struct sample_pool *counted_samples_pool(const struct counted_samples *counted, const struct tree_node *owner)
{
	return owner->function ? &counted->pools[owner->function->number] : NULL;
}

static void add_pools(struct counted_samples *counted)
{
	for (size_t id = 1; id < counted->nr_paths; id++) {
		const struct tree_node *node = tree_node(counted->model, id);
		struct sample_pool *pool =
			counted_samples_pool(counted, tree_node(counted->model, counted->owners[id]));

		if (!pool)
			continue;
		pool->recorded_ns += fmax(node->sum.self_ns, 0);
		pool->self_ns += counted_times_before(node);
		pool->doubt_ns += node->hooks.self_doubt_ns;
		if (counted->owners[id] == id)
			add_group(&pool->group, &counted->groups[id]);
	}
}

/* The CPU time of all samples of the group. */
static double all_ns(const struct sample_group *group)
{
	return group->own_ns + group->counted_ns + group->hooks_ns;
}

/* The hooks' cost in recorded calls of one or more functions. */
struct hooks_cost {
	double subtracted_ns;
	double sampled_ns;		/* the same by samples in the recorder */
	double error_ns;		/* the standard error of that */
};

double sample_group_error_ns(const struct sample_group *group, double ns)
{
	return sqrt(ns * all_ns(group) / fmax((double)(group->nr + group->nr_in_hooks), 1));
}

static void add_cost(struct hooks_cost *cost, const struct sample_pool *pool)
{
	const double sampled_ns = pool->group.hooks_ns - pool->group.stubs_ns;

	cost->subtracted_ns += pool->recorded_ns - pool->self_ns;
	cost->sampled_ns += sampled_ns;
	cost->error_ns = hypot(cost->error_ns, sample_group_error_ns(&pool->group, sampled_ns));
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
static bool is_by_samples(const struct sample_pool *pool)
{
	const struct sample_group *group = &pool->group;
	double nr = (double)(group->nr + group->nr_in_hooks);
	struct hooks_cost cost = { 0 };

	add_cost(&cost, pool);
	return nr >= COUNTED_LEAST_SAMPLES && (pool->doubt_ns > all_ns(group) / sqrt(nr) || differs(&cost));
}

/*
 * The rest of the recorded time, in the function and in hooks, is time off the processor. It counts if it is
 * more than the error of the samples. Before the first function is counted nothing is sampled, and hooks of
 * that time are no idle time: so it is at most what the hooks' measured cost leaves.
 */
static double ns_by_samples(const struct sample_pool *pool)
{
	const struct sample_group *group = &pool->group;
	double nr = (double)(group->nr + group->nr_in_hooks), error_ns = all_ns(group) / sqrt(nr),
	       self_ns = sample_group_divided_ns(group),
	       idle_ns = fmin(pool->recorded_ns - all_ns(group), pool->self_ns - self_ns);

	self_ns += idle_ns > SAMPLE_ERRORS * error_ns ? idle_ns : 0;
	return fmin(self_ns, pool->recorded_ns);
}

/* The samples of a function in which there are few are good for the sum of all these functions. */
static double ns_by_cost(const struct sample_pool *pool, double share)
{
	double least_ns = fmin(pool->self_ns, sample_group_divided_ns(&pool->group));

	return fmax(pool->recorded_ns - (pool->recorded_ns - pool->self_ns) * share, least_ns);
}

static void confirm_pools(struct counted_samples *counted)
{
	struct hooks_cost others = { 0 };
	double share;

	for (size_t i = 0; i < counted->nr_functions; i++)
		if (!is_by_samples(&counted->pools[i]))
			add_cost(&others, &counted->pools[i]);
	share = !counted->model->is_raw && others.subtracted_ns > 0 && differs(&others)
			? others.sampled_ns / others.subtracted_ns
			: 1;
	for (size_t i = 0; i < counted->nr_functions; i++) {
		struct sample_pool *pool = &counted->pools[i];

		pool->is_by_samples = !counted->model->is_raw && is_by_samples(pool);
		pool->kept_ns = pool->is_by_samples ? ns_by_samples(pool)
				: share != 1 ? ns_by_cost(pool, share) : pool->self_ns;
	}
}

bool counted_samples_suffice(const struct counted_samples *counted, const struct sample_group *group)
{
	return group->nr && sample_group_divided_ns(group) >= COUNTED_LEAST_SAMPLES * counted->mean_ns;
}

void counted_samples_find(struct counted_samples *samples, struct model *model)
{
	*samples = (struct counted_samples){ .model = model,
					     .nr_paths = model->nr_tree_nodes,
					     .left_out_ns = model->selection.counted_around_ns,
					     .nr_functions = functions_count(&model->tables->functions) + 1 };
	samples->owners = xcalloc(samples->nr_paths, sizeof(*samples->owners));
	samples->around = xcalloc(samples->nr_paths, sizeof(*samples->around));
	samples->left_out = xcalloc(samples->nr_paths, sizeof(*samples->left_out));
	samples->groups = xcalloc(samples->nr_paths, sizeof(*samples->groups));
	samples->pools = xcalloc(samples->nr_functions, sizeof(*samples->pools));
	find_owners(samples);
	find_mean(samples);
	if (!model->is_raw) {
		find_around(samples);
		find_left_out(samples);
	}
	add_groups(samples);
	add_pools(samples);
	confirm_pools(samples);
}

void counted_samples_free(struct counted_samples *samples)
{
	free(samples->owners);
	free(samples->around);
	free(samples->left_out);
	free(samples->groups);
	free(samples->pools);
}
