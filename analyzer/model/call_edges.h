/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls between functions: the call tree added up by pairs of caller and function. Calls that timing auto
 * counted in inlined copies are with the function that the copy is in, after counted_callers_read().
 */
#pragma once

#include "analyzer/model/model.h"

struct edge {
	struct function *caller;	/* NULL: nothing recorded called it */
	struct function *function;
	struct call_stats stats; /* of these calls alone. Within total_ns a pair inside itself counts once */
	struct sample_stats samples;	/* likewise */
	uint64_t primitive_calls;	/* of stats.calls: not within another call of this pair */
};

struct edges {
	struct edge *list;		/* in the order of first sight */
	size_t nr;
};

void edges_init(struct edges *edges, const struct model *model);
void edges_release(struct edges *edges);
