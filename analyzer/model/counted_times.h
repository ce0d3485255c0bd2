/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The time of functions that timing auto only counted, by samples.
 *
 * A sample's path leads through the counted calls to the nearest call that was recorded. The self time of that one includes
 * the time of the counted calls. What samples give to them is taken out of it, and never more than there is, so totals
 * stay as they were measured. Where a recorded path has fewer than COUNTED_LEAST_SAMPLES samples, those of all paths
 * of its function decide, in proportion to its time; where they are too few as well it keeps its time.
 * Views mark it then. The time of what it counted is not known: what first calls took, before they were only
 * counted, says nothing of the others.
 */
#ifndef INSIDEME_COUNTED_TIMES_H
#define INSIDEME_COUNTED_TIMES_H

#include "analyzer/model/model.h"

#define COUNTED_LEAST_SAMPLES 16u

/* After the hooks' cost was taken out of the tree, before functions are summed up. */
void counted_times_take(struct model *model);

#endif
