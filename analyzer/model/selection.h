/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which calls are reported: --focus, --exclude and --depth leave of a run what INSIDEME_FOCUS, INSIDEME_EXCLUDE and
 * INSIDEME_DEPTH would have recorded of it. A path that is left out stands for its nearest caller that is not (the root:
 * there is none): what its calls took and allocated is that one's.
 */
#ifndef INSIDEME_SELECTION_H
#define INSIDEME_SELECTION_H

#include "analyzer/model/model.h"
#include "analyzer/model/process_filter.h"

/*
 * Judge all functions of logs and saved profiles by @filter (NULL: none), before their calls are read. Patterns that mean none are told on
 * stderr with names that are near.
 */
void selection_read(struct model *model, const struct filter *filter);
void selection_release(struct model *model);

/* Are calls of @function reported whose nearest reported caller has the path @parent? */
static inline bool selection_keeps(const struct model *model, const struct tree_node *parent, const struct function *function)
{
	const struct selection *selection = &model->selection;

	if (!selection->is_on)
		return true;
	if (function->verdict == VERDICT_EXCLUDED || (selection->most_depth && parent->depth >= selection->most_depth))
		return false;
	return !selection->has_focus || parent != model->root || function->verdict == VERDICT_FOCUS;
}

#endif
