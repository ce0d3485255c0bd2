/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls of a path that were counted by the place in the code that they came from: LOG_AREA_CALL_PLACES. */
#pragma once

#include "analyzer/log/node_check.h"
#include "analyzer/log/logfile.h"

/* The call of a thread that is not in its histogram yet: offset of the node, 0: there is none. */
struct pending_count {
	uint64_t offset;
	uint32_t bucket;
};
struct pending_count pending_count_of(struct logfile *log, uint64_t pending_addr);

/* The counters of one place. log->places has all that are sound, by node. */
struct place_counters {
	uint64_t offset;
	uint32_t owner;			/* ref of the thread */
	uint32_t node_index;		/* of the path */
	uint32_t pending_bucket;	/* LOG_BUCKETS: all of its calls are in its histogram */
};

/* Add those of one area. @current_node: offset of the node that its thread is in. */
void place_counters_list(struct logfile *log, const struct log_extent *extent,
			 const struct node_limits *limits, uint64_t current_node,
			 const struct pending_count *pending);
/* After all were added. */
void place_counters_sort(struct logfile *log);

void place_counters_read(const struct logfile *log, const struct place_counters *at, struct log_node *place,
			 uint64_t histogram[LOG_BUCKETS]);

/* Add the calls by place of the path with this index to what its @node has. */
void place_counters_add(const struct logfile *log, uint32_t index, struct log_node *node,
			uint64_t histogram[LOG_BUCKETS]);
