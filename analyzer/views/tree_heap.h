/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs without hooks whose allocations were sampled: their call paths are stacks, without calls and times. */
#ifndef INSIDEME_TREE_HEAP_H
#define INSIDEME_TREE_HEAP_H

#include "analyzer/cells/view_context.h"

#define STACKS_NOTE "estimates from stacks of allocations; allocated: by the function and what it calls there; at peak, not " \
	"freed: by itself"

/* Is that all that the report's paths are? */
bool report_is_of_stacks(const struct report *report);

/* [id of a node]: bytes that it and all below it allocated; of @document. */
const double *tree_alloc_bytes(struct document *document, const struct model *model);

#endif
