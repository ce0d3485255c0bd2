/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Can the counters of a node be true? They say the same thing several times over, and that shows damage. */
#ifndef INSIDEME_NODE_CHECK_H
#define INSIDEME_NODE_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "insideme_log.h"

struct node_limits {
	uint64_t span_ticks;	/* from the log's start to its end */
	uint64_t calls;		/* more calls than that take longer */
	bool changing;		/* the program runs: counters are of slightly different instants */
	bool adaptive;		/* a timed call stands for up to 2^LOG_SHIFT_MAX */
};

/*
 * @histogram: its histogram with the pending bucket counted. One call may be half counted (the program was
 * killed just then), so everything is checked to within one call.
 */
bool node_is_sound(const struct log_node *node, const uint64_t histogram[LOG_BUCKETS],
		   const struct node_limits *limits);

#endif
