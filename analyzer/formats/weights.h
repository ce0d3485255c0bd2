/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A call path's own use of a resource, for profiles that are sums by call path: in all calls, without the
 * hooks' cost, and never below 0.
 */
#pragma once

#include "analyzer/cells/view_context.h"

struct weight {
	const char *column;		/* of the view tree: "self_ns" */
	const char *title;		/* "time" */
	enum unit unit;
	double (*of)(const struct tree_node *node);
	/* NULL: not for --diff */
	int64_t (*of_diff)(const struct call_stats *stats, const struct heap_stats *heap);
	bool (*is_known)(const struct report *report);
};

#define NR_WEIGHTS	10
extern const struct weight weights[NR_WEIGHTS];

/* The kernel's part of it. It is known of CPU time only, and 0 of other weights. */
int64_t weight_of_kernel(const struct weight *weight, const struct tree_node *node);

/* One of the table, which must have it. */
const struct weight *weight_by_name(const char *column);

/*
 * The weight of --columns; without that the first one that is known: time, CPU time, calls. NULL after an
 * error()
 */
const struct weight *weight_asked(const struct report *report);

/* Deeper stacks end in DEEPER: few readers open them. */
#define PATHS_DEPTH	500
#define DEEPER		"(deeper)"

/* Of @node's path; if that is deeper, of those below it too: goes to the last of them as tree_next() does. */
int64_t weight_shown(const struct weight *weight, struct tree_node **node);
