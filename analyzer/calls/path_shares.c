/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the root of the tree to its leaves: the shares of a path depend on those above it. */
#include "analyzer/calls/path_shares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/calls/wait_curve.h"
#include "analyzer/model/tree_walk.h"

struct path_shares {
	double recorded_ns;		/* sum of recorded calls */
	double ready_ns;		/* of these, as rest[SHARE_WAIT] was at first */
	double rest[NR_SHARES]; /* first the part that recorded callees did not use; then the parts of the
				 * path's own time, with the sum 1; then these in ns */
	double below[NR_SHARES];	/* of the time in callees without a record: parts with the sum 1;
					 * NAN: not known */
};

struct path_shares *use_shares_new(const struct model *model)
{
	return xcalloc(model->nr_tree_nodes, sizeof(struct path_shares));
}

void use_shares_free(struct path_shares *shares)
{
	free(shares);
}

void use_shares_add(struct path_shares *shares, const struct tree_node *node, double duration_ns,
		    const double *rest)
{
	struct path_shares *path = &shares[node->id];

	for (int i = 0; i < NR_SHARES; i++)
		if (isnan(rest[i]))
			return;
	path->recorded_ns += duration_ns;
	for (int i = 0; i < NR_SHARES; i++)
		path->rest[i] += rest[i];
}

static double sum_from(const double *parts, int first)
{
	double sum = 0;

	for (int i = first; i < NR_SHARES; i++)
		sum += parts[i];
	return sum;
}

/* Divide @parts by their sum. The parts of nothing are not known. */
static void make_shares(double *parts)
{
	double sum;

	for (int i = 0; i < NR_SHARES; i++)
		parts[i] = fmax(parts[i], 0);		/* they are differences */
	sum = sum_from(parts, SHARE_CPU);
	for (int i = 0; i < NR_SHARES; i++)
		parts[i] = sum > 0 ? parts[i] / sum : NAN;
}

/*
 * Mix: @share of the time is divided as in @parts, the rest as in @others. If one is not known, the other one
 * is taken.
 */
static void mix(double *parts, const double *others, double share)
{
	for (int i = 0; i < NR_SHARES; i++)
		parts[i] = isnan(parts[i])    ? others[i]
			   : isnan(others[i]) ? parts[i]
					      : share * parts[i] + (1 - share) * others[i];
}

/*
 * Subtract hooks and counted calls from the CPU part of the raw time, which @shares divide. Both were CPU
 * time, and so is the time from samples. If the CPU part is smaller than that, as in functions that are too
 * short to time, the shares of the whole hold for the rest. Return: in @parts, the parts of the self time
 * that is left
 */
static void take_hooks_out(double *parts, const double *shares, double raw_ns, const struct call_stats *stats)
{
	double ns = fmax(stats->self_ns, 0), room_ns = fmax(ns - stats->sampled_ns, 0);
	double off_ns = (shares[SHARE_WAIT] + shares[SHARE_BLOCKED]) * raw_ns;
	double left = off_ns > room_ns ? room_ns / off_ns : 1;
	bool stay = off_ns > ns && !(stats->sampled_ns > 0);

	for (int i = 0; i < NR_SHARES; i++)
		parts[i] = shares[i] * (stay ? ns : raw_ns * left);
	if (off_ns <= ns || stats->sampled_ns > 0)
		parts[SHARE_CPU] = ns - off_ns * left;
}

/* CPU time is known better than waiting: together they are limited to the whole time. */
static void take_overlap_off(double *rest)
{
	if (rest[SHARE_BLOCKED] < 0) {
		rest[SHARE_WAIT] += rest[SHARE_BLOCKED];
		rest[SHARE_BLOCKED] = 0;
	}
}

static void add_known(double *sum, double value)
{
	*sum += isnan(value) ? 0 : value;
}

/* CPU time of the path, less what its samples can stand for. */
static double excess_ns(const struct path_shares *path, const struct tree_node *node)
{
	double most_ns = node->rare->most_cpu_ns, more_ns = path->rest[SHARE_CPU] - most_ns;

	return most_ns > 0 && more_ns > 0 ? more_ns : 0;
}

static void divide_path(struct path_shares *path, const struct path_shares *above,
			const struct tree_node *node)
{
	static const double blocked[NR_SHARES] = { [SHARE_BLOCKED] = 1 };
	/* of calls without a record */
	const double *rest = wait_is_blocked_throughout(node->function->wait) ? blocked : above->below;
	double raw_ns = node->sum.total_ns, raw_self_ns = fmax(node->sum.self_ns, 0);
	double share = raw_ns > 0 ? fmin(path->recorded_ns / raw_ns, 1) : 0;
	double own[NR_SHARES], own_ns = share * raw_self_ns, off_ns, recorded_below_ns, others_below_ns;
	int first = SHARE_WAIT;		/* this part and the later ones are the call's own */

	take_overlap_off(path->rest);
	/* time in callees without a record: of recorded calls, and of calls that have no record either */
	recorded_below_ns = fmax(sum_from(path->rest, SHARE_CPU) - own_ns, 0);
	others_below_ns = (1 - share) * fmax(raw_ns - raw_self_ns, 0);
	memcpy(own, path->rest, sizeof(own));
	memcpy(path->below, path->rest, sizeof(own));
	while (first < NR_SHARES && sum_from(own, first) > own_ns)
		first++;
	if (first < NR_SHARES) {
		off_ns = sum_from(own, first);
		for (int i = first; i < NR_SHARES; i++)
			path->below[i] = 0;
		make_shares(path->below);
		for (int i = 0; i < first; i++)
			own[i] = isnan(path->below[i]) ? 0 : path->below[i] * (own_ns - off_ns);
	}
	make_shares(own);
	make_shares(path->below);
	mix(own, rest, share);
	if (recorded_below_ns + others_below_ns > 0)
		share = recorded_below_ns / (recorded_below_ns + others_below_ns);
	mix(path->below, rest, share);
	for (int i = 0; i < NR_SHARES; i++)
		if (!(raw_ns > 0))
			own[i] = path_stats(node).sampled_ns > 0 ? i == SHARE_CPU : NAN; /* not timed */
		else if (raw_self_ns == 0 && path->recorded_ns > 0)
			own[i] = 0;		/* without time of its own, there is nothing in it */
	memcpy(path->rest, own, sizeof(own));
}

/* Sums of all paths: how long they were ready. */
struct ready {
	double recorded_ns;	/* by the records of calls */
	double kept_ns;		/* as their time was divided, as far as records of the same path have it */
	double more_ns;		/* what was divided beyond that */
	double left_ns;		/* without hooks */
	double excess_ns;	/* CPU time of paths for which they have too few samples */
};

/* Time of the path's own in which its thread was ready, beyond what records of its calls say. */
static double more_ready_ns(const struct path_shares *path, const struct tree_node *node, double *divided_ns)
{
	*divided_ns = 0;
	add_known(divided_ns, path->rest[SHARE_WAIT] * fmax(node->sum.self_ns, 0));
	return fmax(*divided_ns - fmax(path->ready_ns, 0), 0);
}

/*
 * Calls in which a thread had to wait have a record, and those without are taken to be like them. What this
 * adds is limited to what the records say in all. A path that has records of all its calls stays as it is.
 */
static void finish_path(struct path_shares *path, const struct tree_node *node, struct ready *ready)
{
	const struct call_stats stats = path_stats(node);
	double divided_ns, more_ns = more_ready_ns(path, node, &divided_ns), own[NR_SHARES];

	memcpy(own, path->rest, sizeof(own));
	if (more_ns > 0) {
		double room_ns = fmax(ready->recorded_ns - ready->kept_ns, 0);
		double left = fmin(room_ns / ready->more_ns, 1);
		double moved = (1 - left) * more_ns / divided_ns * own[SHARE_WAIT];

		own[SHARE_CPU] += moved;
		own[SHARE_WAIT] -= moved;
	}
	take_hooks_out(path->rest, own, fmax(node->sum.self_ns, 0), &stats);
	add_known(&ready->left_ns, path->rest[SHARE_WAIT]);
	add_known(&ready->excess_ns, excess_ns(path, node));
}

/*
 * Readings of CPU time are too far apart to tell short waits from what is between them. As far as they know,
 * the thread ran outside of these. Samples know better.
 */
static void raise_cpu(double *rest, double least_ns)
{
	double more_ns = fmin(fmax(least_ns - rest[SHARE_CPU], 0), fmax(rest[SHARE_BLOCKED], 0));

	rest[SHARE_CPU] += more_ns;
	rest[SHARE_BLOCKED] -= more_ns;
}

/*
 * Threads may have been ready for longer than the paths say so far. That time is moved from the excess of CPU
 * time. The rest of the excess is the hooks' cost. In a call that waits, it is part of the wait.
 */
static void bound_cpu(struct path_shares *path, const struct tree_node *node, const struct ready *ready)
{
	double most_ns = fmin(fmax(ready->recorded_ns - ready->left_ns, 0), ready->excess_ns);
	double excess = excess_ns(path, node), more_ns = excess > 0 ? excess * most_ns / ready->excess_ns : 0;

	path->rest[SHARE_CPU] -= more_ns;
	path->rest[SHARE_WAIT] += more_ns;
	if (wait_is_blocked(node->function->wait)) {
		path->rest[SHARE_CPU] -= excess - more_ns;
		path->rest[SHARE_BLOCKED] += excess - more_ns;
		raise_cpu(path->rest, node->rare->least_cpu_ns);
	}
}

/*
 * Readings of CPU time and of waiting are apart in time, so blocked time is too much in some paths and below
 * 0 in others. In calls that do not wait, its sum is right. Return: the part of those above 0 that it is.
 */
static double blocked_scale(const struct path_shares *shares, const struct model *model)
{
	double sum_ns = 0, above_ns = 0;

	for (struct tree_node *node = tree_next(model->root); node; node = tree_next(node)) {
		double ns = shares[node->id].rest[SHARE_BLOCKED];

		if (wait_is_blocked(node->function->wait))
			continue;
		sum_ns += ns;
		above_ns += fmax(ns, 0);
	}
	return above_ns > 0 ? fmax(sum_ns, 0) / above_ns : 1;
}

static void scale_blocked(double *rest, double scale)
{
	double moved_ns = (1 - scale) * fmax(rest[SHARE_BLOCKED], 0);

	rest[SHARE_BLOCKED] -= moved_ns;
	rest[SHARE_WAIT] += moved_ns;
}

void use_shares_finish(struct path_shares *shares, const struct model *model)
{
	struct ready ready = { 0 };
	double scale = blocked_scale(shares, model);

	for (int i = 0; i < NR_SHARES; i++)
		shares[0].rest[i] = shares[0].below[i] = NAN;
	for (struct tree_node *node = tree_next(model->root); node; node = tree_next(node)) {
		struct path_shares *path = &shares[node->id];
		double divided_ns, more_ns;

		if (!wait_is_blocked(node->function->wait))
			scale_blocked(path->rest, scale);
		path->ready_ns = path->rest[SHARE_WAIT];
		ready.recorded_ns += path->ready_ns;
		divide_path(path, &shares[node->starter ? 0 : node->parent->id], node);
		more_ns = more_ready_ns(path, node, &divided_ns);
		ready.more_ns += more_ns;
		ready.kept_ns += divided_ns - more_ns;
	}
	for (struct tree_node *node = tree_next(model->root); node; node = tree_next(node))
		finish_path(&shares[node->id], node, &ready);
	for (struct tree_node *node = tree_next(model->root); node; node = tree_next(node))
		bound_cpu(&shares[node->id], node, &ready);
}

const double *use_shares_of(const struct path_shares *shares, const struct tree_node *node)
{
	return shares[node->id].rest;
}
