/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Each pair of hosts has bounds of its offset over time. Each stretch of time keeps only the closest bound
 * on either side. The line between them is the one with most room on both sides. Hosts are placed one after
 * the other, from the first one on.
 */
#include "analyzer/calls/host_clocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/hashtable.h"

#define STRETCHES 512
#define DRIFT_MOST 1e-3 /* of clocks that are not broken */
#define STEPS 100	/* of a search; each leaves two thirds */

struct bound {
	double at_ns, offset_ns;
};

/* Bounds of the offset of host @second, less that of host @first. */
struct pair {
	uint32_t first, second;
	struct bound least[STRETCHES], most[STRETCHES];
};

struct finder {
	const struct mpi_matching *matching;
	const struct process **hosts;
	size_t nr_hosts;
	uint32_t *host_of; /* [rank] */
	double end_ns;
	struct hashtable table;
	struct pair **pairs;
	size_t nr_pairs;
};

/* ---- bounds ---- */

static bool is_pair(const void *item, const void *key)
{
	const struct pair *a = item, *b = key;

	return a->first == b->first && a->second == b->second;
}

static struct pair *pair_of(struct finder *finder, uint32_t first, uint32_t second)
{
	struct pair *pair, *key = &(struct pair){ .first = first, .second = second };
	const uint64_t hash = hash_pair(first, second);

	pair = hashtable_find(&finder->table, hash, is_pair, key);
	if (pair)
		return pair;
	pair = xcalloc(1, sizeof(*pair));
	pair->first = first;
	pair->second = second;
	for (size_t i = 0; i < STRETCHES; i++) {
		pair->least[i].offset_ns = -INFINITY;
		pair->most[i].offset_ns = INFINITY;
	}
	hashtable_add(&finder->table, hash, pair);
	APPEND(finder->pairs, finder->nr_pairs) = pair;
	return pair;
}

static size_t stretch_of(const struct finder *finder, double time_ns)
{
	const double share = finder->end_ns > 0 ? time_ns / finder->end_ns * STRETCHES : 0;

	return share <= 0 ? 0 : share >= STRETCHES ? STRETCHES - 1 : (size_t)share;
}

/* The call of @earlier began before that of @later ended. Times are those of the pair's second host. */
static void add_order(struct finder *finder, const struct transfer *earlier, const struct transfer *later)
{
	const uint32_t from = finder->host_of[earlier->rank], to = finder->host_of[later->rank];
	const double offset_ns = (double)(later->end - earlier->begin);
	struct bound *bound;

	if (from < to) {
		bound = &pair_of(finder, from, to)->most[stretch_of(finder, (double)later->end)];
		if (offset_ns < bound->offset_ns)
			*bound = (struct bound){ (double)later->end, offset_ns };
	} else if (from > to) {
		bound = &pair_of(finder, to, from)->least[stretch_of(finder, (double)earlier->begin)];
		if (-offset_ns > bound->offset_ns)
			*bound = (struct bound){ (double)earlier->begin, -offset_ns };
	}
}

/* All parts against the first one, or the root. A call that only starts one does not wait. */
static void add_collective(struct finder *finder, const struct transfer *part, const struct transfer *first)
{
	const struct transfer *root = part->together->root;
	const bool part_waits = !(part->flags & LOG_TRANSFER_STARTS);

	switch (part->collective) {
	case LOG_ALL_WAIT_FOR_ALL:
		if (part_waits)
			add_order(finder, first, part);
		if (!(first->flags & LOG_TRANSFER_STARTS))
			add_order(finder, part, first);
		break;
	case LOG_ALL_WAIT_FOR_ROOT:
		if (root && part_waits)
			add_order(finder, root, part);
		break;
	case LOG_ROOT_WAITS_FOR_ALL:
		if (root && !(root->flags & LOG_TRANSFER_STARTS))
			add_order(finder, part, root);
		break;
	case LOG_NOBODY_WAITS:
		break;
	}
}

static void add_bounds(struct finder *finder)
{
	const struct mpi_matching *matching = finder->matching;
	const struct transfer *first = NULL;

	for (size_t i = 0; i < matching->nr_receives; i++)
		if (matching->receives[i].transfer->partner)
			add_order(finder, matching->receives[i].transfer->partner,
				  matching->receives[i].transfer);
	for (size_t i = 0; i < matching->nr_parts; i++) {
		const struct transfer *part = matching->parts[i].transfer;

		if (!part->together)
			continue;
		if (!first || first->together != part->together)
			first = part;
		add_collective(finder, part, first);
	}
}

/* ---- a line between them ---- */

/* The room for a line of @drift: its offset at @origin_ns may be from least to most. */
static void room_of(const struct pair *pair, double drift, double origin_ns, double *least_ns,
		    double *most_ns)
{
	*least_ns = -INFINITY;
	*most_ns = INFINITY;
	for (size_t i = 0; i < STRETCHES; i++) {
		const struct bound *least = &pair->least[i], *most = &pair->most[i];

		*least_ns = fmax(*least_ns, least->offset_ns - drift * (least->at_ns - origin_ns));
		*most_ns = fmin(*most_ns, most->offset_ns - drift * (most->at_ns - origin_ns));
	}
}

enum wanted { WIDEST, HIGHEST, LOWEST };

static double value_of(const struct pair *pair, double drift, double origin_ns, enum wanted wanted)
{
	double least_ns, most_ns;

	room_of(pair, drift, origin_ns, &least_ns, &most_ns);
	return wanted == WIDEST ? most_ns - least_ns : wanted == HIGHEST ? most_ns : -least_ns;
}

/* The drift at which the value is largest. Each value has one summit. */
static double best_drift(const struct pair *pair, double low, double high, double origin_ns,
			 enum wanted wanted)
{
	for (int i = 0; i < STEPS; i++) {
		const double third = (high - low) / 3;

		if (value_of(pair, low + third, origin_ns, wanted) <
		    value_of(pair, high - third, origin_ns, wanted))
			low += third;
		else
			high -= third;
	}
	return (low + high) / 2;
}

/* The drift nearest to @far from @inside for which there is room. */
static double last_drift(const struct pair *pair, double inside, double far)
{
	for (int i = 0; i < STEPS; i++) {
		const double middle = (inside + far) / 2;

		if (value_of(pair, middle, 0, WIDEST) >= 0)
			inside = middle;
		else
			far = middle;
	}
	return inside;
}

/* The bounds that all lines with room have at an instant. */
static void bounds_at(const struct pair *pair, double from, double to, double at_ns, double *least_ns,
		      double *most_ns)
{
	*most_ns = value_of(pair, best_drift(pair, from, to, at_ns, HIGHEST), at_ns, HIGHEST);
	*least_ns = -value_of(pair, best_drift(pair, from, to, at_ns, LOWEST), at_ns, LOWEST);
}

static struct host_clock fit(const struct finder *finder, const struct pair *pair)
{
	const double drift = best_drift(pair, -DRIFT_MOST, DRIFT_MOST, finder->end_ns / 2, WIDEST);
	struct host_clock clock = { .is_known = true };
	double least_ns, most_ns, from, to;

	room_of(pair, drift, 0, &least_ns, &most_ns);
	clock.begin_ns = (least_ns + most_ns) / 2;
	clock.end_ns = clock.begin_ns + drift * finder->end_ns;
	clock.is_line = most_ns >= least_ns;
	from = clock.is_line ? last_drift(pair, drift, -DRIFT_MOST) : drift;
	to = clock.is_line ? last_drift(pair, drift, DRIFT_MOST) : drift;
	bounds_at(pair, from, to, 0, &clock.begin_least_ns, &clock.begin_most_ns);
	bounds_at(pair, from, to, finder->end_ns, &clock.end_least_ns, &clock.end_most_ns);
	return clock;
}

static bool has_both_sides(const struct pair *pair)
{
	double least_ns, most_ns;

	room_of(pair, 0, 0, &least_ns, &most_ns);
	return isfinite(least_ns) && isfinite(most_ns);
}

/* ---- all hosts ---- */

static void find_hosts(struct finder *finder)
{
	finder->host_of = xcalloc(finder->matching->nr_ranks + 1, sizeof(*finder->host_of));
	for (size_t i = 0; i < finder->matching->nr_ranks; i++) {
		const struct process *process = finder->matching->ranks[i].process;
		size_t host = 0;

		while (host < finder->nr_hosts && !processes_share_host(finder->hosts[host], process))
			host++;
		if (host == finder->nr_hosts) {
			finder->hosts = xgrow(finder->hosts, host, sizeof(*finder->hosts));
			finder->hosts[finder->nr_hosts++] = process;
		}
		finder->host_of[i] = (uint32_t)host;
	}
}

static double offset_at(const struct host_clock *clock, double end_ns, double time_ns)
{
	return clock->begin_ns + (end_ns > 0 ? (clock->end_ns - clock->begin_ns) / end_ns * time_ns : 0);
}

/* @clock is that of one host of @pair against the other, which is placed already. */
static struct host_clock joined(const struct finder *finder, const struct host_clock *clock,
				const struct host_clock *placed)
{
	struct host_clock sum = *clock;

	sum.begin_ns += offset_at(placed, finder->end_ns, -clock->begin_ns);
	sum.end_ns += offset_at(placed, finder->end_ns, finder->end_ns - clock->end_ns);
	sum.begin_least_ns += placed->begin_least_ns;
	sum.begin_most_ns += placed->begin_most_ns;
	sum.end_least_ns += placed->end_least_ns;
	sum.end_most_ns += placed->end_most_ns;
	sum.is_line &= placed->is_line;
	return sum;
}

static struct host_clock reversed(const struct host_clock *clock)
{
	struct host_clock other = *clock;

	other.begin_ns = -clock->begin_ns;
	other.end_ns = -clock->end_ns;
	other.begin_least_ns = -clock->begin_most_ns;
	other.begin_most_ns = -clock->begin_least_ns;
	other.end_least_ns = -clock->end_most_ns;
	other.end_most_ns = -clock->end_least_ns;
	return other;
}

static void place(struct finder *finder, struct host_clock *clocks)
{
	bool has_more = true;

	while (has_more) {
		has_more = false;
		for (size_t i = 0; i < finder->nr_pairs; i++) {
			const struct pair *pair = finder->pairs[i];
			struct host_clock *first = &clocks[pair->first], *second = &clocks[pair->second],
					  clock;

			if (first->is_known == second->is_known || !has_both_sides(pair))
				continue;
			clock = fit(finder, pair);
			if (first->is_known) {
				*second = joined(finder, &clock, first);
			} else {
				clock = reversed(&clock);
				*first = joined(finder, &clock, second);
			}
			has_more = true;
		}
	}
}

size_t host_clocks_find(const struct mpi_matching *matching, const struct model *model,
			struct host_clock **clocks)
{
	struct finder finder = { .matching = matching, .end_ns = (double)model->end };

	find_hosts(&finder);
	*clocks = xcalloc(finder.nr_hosts + 1, sizeof(**clocks));
	(*clocks)->is_known = (*clocks)->is_line = true;
	if (finder.nr_hosts > 1) {
		add_bounds(&finder);
		place(&finder, *clocks);
	}
	for (size_t i = 0; i < finder.nr_hosts; i++)
		(*clocks)[i].process = finder.hosts[i];
	for (size_t i = 0; i < matching->nr_ranks; i++)
		(*clocks)[finder.host_of[i]].nr_ranks++;
	hashtable_release(&finder.table);
	free(finder.pairs);
	free(finder.hosts);
	free(finder.host_of);
	return finder.nr_hosts;
}

static int64_t corrected(const struct host_clock *clock, double end_ns, int64_t time)
{
	return time - llround(offset_at(clock, end_ns, (double)time));
}

void host_clocks_apply(struct mpi_matching *matching, const struct model *model,
		       const struct host_clock *clocks, size_t nr_clocks)
{
	const double end_ns = (double)model->end;

	for (size_t i = 0; i < matching->nr_ranks && nr_clocks > 1; i++) {
		struct mpi_rank *rank = &matching->ranks[i];
		const struct host_clock *clock = clocks;

		while (!processes_share_host(clock->process, rank->process))
			clock++;
		for (size_t j = 0; j < rank->nr; j++) {
			struct transfer *transfer = &rank->transfers[j];

			transfer->begin = corrected(clock, end_ns, transfer->begin);
			transfer->end = corrected(clock, end_ns, transfer->end);
			transfer->started = corrected(clock, end_ns, transfer->started);
		}
	}
}
