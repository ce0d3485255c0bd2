/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the ticks of a log to ns: which clock readings to trust, and the lines between them. */
#include "analyzer/log/timebase.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"

#define TICK_NS_MIN	0.02		/* 50 GHz */
#define TICK_NS_MAX	10000.0		/* 100 kHz */
/* how far a reading may be off: its thread may have waited between two clocks */
#define DRIFT_NS	20e6
#define DRIFT_SHARE	2e-3		/* and this share of the time: a clock that is being corrected */
/* two readings of one clock never differ by so much, however long the thread waited */
#define APART_NS	1e9
#define APART_SHARE	0.1		/* how closely the ticks must confirm the difference */

static int by_ticks(const void *a, const void *b)
{
	const struct log_clocks *x = a, *y = b;

	return x->ticks < y->ticks ? -1 : x->ticks > y->ticks;
}

static double rate(const struct log_clocks *from, const struct log_clocks *to)
{
	return (double)(int64_t)(to->monotonic_ns - from->monotonic_ns) /
	       (double)(int64_t)(to->ticks - from->ticks);
}

static bool is_rate(double tick_ns)
{
	return tick_ns >= TICK_NS_MIN && tick_ns <= TICK_NS_MAX;
}

/* Whether @point lies on the line through @origin, as closely as clocks and scheduling allow. */
static bool agrees(const struct log_clocks *point, const struct log_clocks *origin, double tick_ns)
{
	double along = (double)(int64_t)(point->ticks - origin->ticks) * tick_ns;
	double off = (double)(int64_t)(point->monotonic_ns - origin->monotonic_ns) - along;

	return fabs(off) <= DRIFT_NS + DRIFT_SHARE * fabs(along);
}

/*
 * Find the line that most readings lie on. Any two readings define a line. Damage hits few of them, so with
 * many readings it is enough to try the outermost ones and a spread of others.
 */
static size_t best_line(const struct log_clocks *points, size_t nr, size_t *origin, double *tick_ns)
{
	size_t step = nr > 16 ? nr / 16 : 1, best = 0;

	for (size_t i = 0; i < nr; i += step) {
		for (size_t j = nr - 1; j > i; j = j > step ? j - step : 0) {
			double tried = rate(&points[i], &points[j]);
			size_t votes = 0;

			for (size_t k = 0; k < nr && is_rate(tried); k++)
				votes += agrees(&points[k], &points[i], tried);
			if (votes > best) {
				best = votes;
				*origin = i;
				*tick_ns = tried;
			}
			if (best == nr)
				return best;
		}
	}
	return best;
}

/* Keep the readings that lie on the line and rise. */
static void keep_sound(struct timebase *base, size_t nr, size_t origin_index, double tick_ns)
{
	struct log_clocks origin = base->points[origin_index];

	for (size_t i = 0; i < nr; i++) {
		const struct log_clocks *point = &base->points[i];
		const struct log_clocks *last = base->nr_points ? &base->points[base->nr_points - 1] : NULL;

		if (!agrees(point, &origin, tick_ns))
			base->nr_dropped++;
		else if (!last || (point->ticks > last->ticks && point->monotonic_ns > last->monotonic_ns))
			base->points[base->nr_points++] = *point;
	}
}

/* The real time is the same in all namespaces too, but it may have been set in between. */
int64_t timebase_apart_ns(const struct log_clocks *reading, const struct log_clocks *other, double tick_ns)
{
	uint64_t monotonic_ns = reading->monotonic_ns - other->monotonic_ns,
		 real_ns = reading->realtime_ns - other->realtime_ns;
	double counted_ns = (double)(int64_t)(reading->ticks - other->ticks) * tick_ns;
	double apart_ns = fabs((double)(int64_t)monotonic_ns - (double)(int64_t)real_ns);

	if (apart_ns < APART_NS || apart_ns > 4e18 ||
	    fabs(counted_ns - (double)(int64_t)real_ns) > APART_SHARE * apart_ns)
		return 0;
	return (int64_t)(monotonic_ns - real_ns);
}

void timebase_join(struct log_clocks *own, size_t nr_own, struct log_clocks *others, size_t nr_others)
{
	double tick_ns =
		nr_others > 1 ? rate(&others[0], &others[nr_others - 1]) : rate(&own[0], &own[nr_own - 1]);

	for (size_t i = 0; i < nr_others && is_rate(tick_ns); i++)
		others[i].monotonic_ns -= (uint64_t)timebase_apart_ns(&others[i], &own[0], tick_ns);
}

int timebase_init(struct timebase *base, uint32_t clock, const struct log_clocks *points, size_t nr_points)
{
	size_t nr = 0, origin = 0;
	double tick_ns = 1;

	memset(base, 0, sizeof(*base));
	base->points = xcalloc(nr_points, sizeof(*points));
	for (size_t i = 0; i < nr_points; i++)
		if (points[i].ticks && points[i].monotonic_ns &&
		    (clock != LOG_CLOCK_MONOTONIC || points[i].ticks == points[i].monotonic_ns))
			base->points[nr++] = points[i];
		else
			base->nr_dropped++;
	qsort(base->points, nr, sizeof(*points), by_ticks);
	if (nr == 0 || (clock != LOG_CLOCK_MONOTONIC && best_line(base->points, nr, &origin, &tick_ns) < 2)) {
		timebase_release(base);
		return -1;
	}
	keep_sound(base, nr, origin, tick_ns);
	base->tick_ns = base->nr_points > 1 && clock != LOG_CLOCK_MONOTONIC ?
			rate(&base->points[0], &base->points[base->nr_points - 1]) : tick_ns;
	base->tick_ns_from = xcalloc(base->nr_points, sizeof(double));
	for (size_t i = 0; i + 1 < base->nr_points; i++)
		base->tick_ns_from[i] = rate(&base->points[i], &base->points[i + 1]);
	base->tick_ns_from[base->nr_points - 1] = base->tick_ns;
	return 0;
}

void timebase_release(struct timebase *base)
{
	free(base->points);
	free(base->tick_ns_from);
	base->points = NULL;
	base->tick_ns_from = NULL;
	base->nr_points = 0;
}

/* The reading that begins the segment of @ticks: the last one at or before it, or else the first one. */
static size_t find_segment(struct timebase *base, uint64_t ticks)
{
	size_t after;

	if (ticks >= base->points[base->last].ticks &&
	    (base->last + 1 == base->nr_points || ticks < base->points[base->last + 1].ticks))
		return base->last;
	after = PARTITION_POINT(i, base->nr_points, base->points[i].ticks <= ticks);
	return base->last = after ? after - 1 : 0;
}

/* The time @ns after @begin. Garbage yields garbage, but never overflows. */
static int64_t after(uint64_t begin, double ns)
{
	return fabs(ns) < 4e18 ? (int64_t)(begin + (uint64_t)(int64_t)(ns + (ns < 0 ? -0.5 : 0.5)))
			       : (int64_t)begin;
}

int64_t timebase_monotonic_ns(struct timebase *base, uint64_t ticks)
{
	size_t i = find_segment(base, ticks);
	const struct log_clocks *begin = &base->points[i];
	double tick_ns = ticks >= begin->ticks ? base->tick_ns_from[i] : base->tick_ns;

	return after(begin->monotonic_ns, (double)(int64_t)(ticks - begin->ticks) * tick_ns);
}

uint64_t timebase_ticks(const struct timebase *base, int64_t monotonic_ns)
{
	const struct log_clocks *last = &base->points[base->nr_points - 1];

	double since_ns = (double)(int64_t)((uint64_t)monotonic_ns - last->monotonic_ns);

	return (uint64_t)after(last->ticks, since_ns / base->tick_ns);
}
