/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Can the counters of a node be true? */
#include "node_check.h"

#include <math.h>

#define WRAP (1ull << 32)

static int bucket_of(uint64_t ticks)
{
	int bucket = 63 - __builtin_clzll(ticks | 1);

	return bucket < LOG_BUCKETS ? bucket : LOG_BUCKETS - 1;
}

/* Each timed call is in one bucket; a bucket goes on at 0 after 2^32. */
static bool counts_match(const struct log_node *node, const uint64_t histogram[LOG_BUCKETS])
{
	uint64_t sum = 0;
	uint32_t off;

	for (int i = 0; i < LOG_BUCKETS; i++)
		sum += histogram[i];
	off = (uint32_t)(sum - log_node_timed_calls(node) + 1);
	return off <= 2 && sum <= log_node_timed_calls(node) + 1;
}

/* The total lies between what the buckets say at least and at most. */
static bool total_matches(const struct log_node *node, const uint64_t histogram[LOG_BUCKETS])
{
	double low = 0, high = 2.0 * (double)node->max_ticks + 1, total = (double)node->total_ticks;

	if (log_node_timed_calls(node) >= WRAP - 1)
		return true;
	for (int i = 0; i < LOG_BUCKETS; i++) {
		low += i ? ldexp((double)histogram[i], i) : 0;
		high += ldexp((double)histogram[i], i + 1);
	}
	return total + (double)node->max_ticks >= low && (total <= high || histogram[LOG_BUCKETS - 1]);
}

static bool extremes_match(const struct log_node *node, const uint64_t histogram[LOG_BUCKETS])
{
	return node->min_ticks <= node->max_ticks && histogram[bucket_of(node->min_ticks)] &&
	       histogram[bucket_of(node->max_ticks)];
}

/* Between the squares of the mean and of the longest call. */
static bool squares_match(const struct log_node *node)
{
	double squares = ldexp((double)node->squares[1], 64) + (double)node->squares[0];
	double calls = (double)log_node_timed_calls(node) + 1, max = (double)node->max_ticks;
	double total = fmax((double)node->total_ticks - max, 0);

	return squares <= calls * max * max * 1.001 && squares >= total * total / calls * 0.999;
}

bool node_is_sound(const struct log_node *node, const uint64_t histogram[LOG_BUCKETS], const struct node_limits *limits)
{
	if (node->calls > limits->calls || log_node_timed_calls(node) > limits->calls || node->total_ticks > limits->span_ticks ||
	    node->child_ticks > limits->span_ticks || node->max_ticks > limits->span_ticks)
		return false;
	if (limits->changing)
		return true;
	if (log_node_timed_calls(node) == 0)
		return node->total_ticks <= node->max_ticks && node->squares[1] == 0;
	return log_node_timed_calls(node) <= node->calls && counts_match(node, histogram) && total_matches(node, histogram) &&
	       extremes_match(node, histogram) && squares_match(node);
}
