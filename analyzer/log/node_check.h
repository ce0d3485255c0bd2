/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Can the counters of a node be true? They repeat one another in part, which reveals damage. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "insideme_log.h"

struct node_limits {
	uint64_t span_ticks;	/* from the start of the log to its end */
	uint64_t calls;		/* there was no time for more calls than these */
	bool changing;		/* the program runs: the counters are of slightly different instants */
	bool adaptive;		/* a timed call stands for up to 2^LOG_SHIFT_MAX calls */
};

/*
 * @histogram: of the node, with the pending bucket counted. If the program was killed, one call may be
 * counted in part, so all checks allow for one call.
 */
bool node_is_sound(const struct log_node *node, const uint64_t histogram[LOG_BUCKETS],
		   const struct node_limits *limits);
