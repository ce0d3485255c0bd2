/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which calls are reported: --focus, --exclude and --depth select what INSIDEME_FOCUS, INSIDEME_EXCLUDE and
 * INSIDEME_DEPTH would have recorded. The time and memory of calls that are left out is added to their
 * nearest reported caller, or to the root if there is none.
 */
#pragma once

#include "analyzer/model/model.h"

/* Is @function reported, called from @parent, the path of its nearest reported caller? */
static inline bool selection_keeps(const struct model *model, const struct tree_node *parent,
				   const struct function *function)
{
	const struct selection *selection = &model->selection;

	if (!selection->is_on)
		return true;
	if (function->verdict == VERDICT_EXCLUDED ||
	    (selection->most_depth && parent->depth >= selection->most_depth))
		return false;
	return !selection->has_focus || parent != model->root || function->verdict == VERDICT_FOCUS;
}
