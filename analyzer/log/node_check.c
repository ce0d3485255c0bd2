/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Can the counters of a node be true? */
#include "analyzer/log/node_check.h"

#include <math.h>

#define WRAP		(1ull << 32)
#define FEW_CALLS	64

static int bucket_of(uint64_t ticks)
{
	int bucket = 63 - __builtin_clzll(ticks | 1);

	return bucket < LOG_BUCKETS ? bucket : LOG_BUCKETS - 1;
}

/*
 * How many calls the buckets may hold: the timed ones, and with adaptive timing also those that timed calls
 * stand for, in blocks that are full.
 */
struct known {
	uint64_t least;
	uint64_t most;
	uint64_t sum;		/* what the buckets hold */
};

static struct known known_calls(const struct log_node *node, const uint64_t histogram[LOG_BUCKETS],
				bool adaptive)
{
	uint64_t timed_calls = log_node_timed_calls(node);
	struct known known = { timed_calls, adaptive ? node->calls + (1u << LOG_SHIFT_MAX) : timed_calls, 0 };

	for (int i = 0; i < LOG_BUCKETS; i++)
		known.sum += histogram[i];
	return known;
}

/*
 * A bucket continues at 0 after 2^32. A signal handler that makes calls of its own between the counters of
 * a call loses one count or doubles it, or both. One call may then be counted in another call's bucket.
 */
static bool counts_match(const struct known *known)
{
	uint64_t slack = 2 + known->most / 8;

	if (known->sum > known->most + slack)
		return false;
	return slack >= WRAP / 2 ||
	       (known->most + slack - known->sum) % WRAP <= 2 * slack + known->most - known->least;
}

/* How many counts signal handlers lost. */
static uint64_t missing_counts(const struct known *known)
{
	return known->least > known->sum && known->least < WRAP ? known->least - known->sum : 0;
}

/* The total lies between the least and the most that the buckets allow. */
static bool total_matches(const struct log_node *node, const uint64_t histogram[LOG_BUCKETS],
			  const struct known *known)
{
	double low = 0, high = 2.0 * (double)node->max_ticks * (double)(missing_counts(known) + 1) + 1;
	double total = (double)node->total_ticks, width = 1;

	if (known->most >= WRAP / 2)
		return true;
	for (int i = 0; i < LOG_BUCKETS; i++, width *= 2) {
		if (!histogram[i])	/* as most are */
			continue;
		low += i ? (double)histogram[i] * width : 0;
		high += (double)histogram[i] * width * 2;
	}
	return total + (double)node->max_ticks >= low * 0.98 &&
	       (total <= high * 1.02 || histogram[LOG_BUCKETS - 1]);
}

/*
 * The longest and the shortest call were counted, unless a handler made that count in another bucket. That
 * is likely to show only where calls are few.
 */
static bool extremes_match(const struct log_node *node, const uint64_t histogram[LOG_BUCKETS],
			   const struct known *known)
{
	bool min_counted = histogram[bucket_of(node->min_ticks)],
	     max_counted = histogram[bucket_of(node->max_ticks)];

	if (node->min_ticks > node->max_ticks)
		return false;
	return missing_counts(known) || (min_counted && max_counted) ||
	       (known->most <= FEW_CALLS && (min_counted || max_counted));
}

/* Between the squares of the mean and of the longest call, which occurred at least once. */
static bool squares_match(const struct log_node *node, const struct known *known)
{
	double squares = (double)node->squares[1] * 0x1p64 + (double)node->squares[0];
	double calls = (double)known->most + 1, max = (double)node->max_ticks;
	double total = fmax((double)node->total_ticks - max, 0);

	return squares <= calls * max * max * 1.001 &&
	       squares >= fmax(total * total / calls, max * max) * 0.999;
}

bool node_is_sound(const struct log_node *node, const uint64_t histogram[LOG_BUCKETS],
		   const struct node_limits *limits)
{
	const struct known known = known_calls(node, histogram, limits->adaptive);
	double most_ticks = (double)known.most * (double)limits->span_ticks;	/* coroutines overlap */

	if (node->calls > limits->calls || node->max_ticks > limits->span_ticks ||
	    (double)node->total_ticks > most_ticks || (double)node->child_ticks > most_ticks)
		return false;
	if (limits->changing)
		return true;
	if (node->untimed_calls > node->calls)
		return false;
	if (log_node_timed_calls(node) == 0 || node->max_ticks == 0)
		return node->total_ticks == 0;
	return counts_match(&known) && total_matches(node, histogram, &known) &&
	       extremes_match(node, histogram, &known) && squares_match(node, &known);
}
