/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The time of functions that timing auto only counted, from samples.
 *
 * A sample's path leads through counted calls to the nearest recorded call, whose self time includes the
 * time of the counted calls. The time that samples give to counted calls is subtracted from it, but never
 * more than there is, so totals stay as measured. A counted path itself recorded its first calls, and those
 * that were open when it became counted. Their time is split like its caller's. If a recorded path has
 * fewer than COUNTED_LEAST_SAMPLES samples, those of all paths of its function decide, in proportion to its
 * time. If these are too few as well, the path keeps its time, and views mark it. Then the time of the
 * counted calls is not known: the time of the first calls, before they were only counted, says nothing
 * about the others.
 */
#pragma once

#include "analyzer/model/model.h"

/*
 * If any function was counted: after the hooks' cost was subtracted from the tree, before functions are
 * summed up.
 */
void counted_times_take(struct model *model);

/* The self time of a path before samples moved any of it. */
static inline double counted_times_before(const struct tree_node *path)
{
	return fmax(path_stats(path).self_ns - path->rare->moved_self_ns, 0);
}
