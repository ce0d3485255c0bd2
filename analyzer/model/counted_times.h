/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The time of functions that timing auto only counted, by samples.
 *
 * A sample's path leads through the counted calls to the nearest call that was recorded. Its self time
 * includes the time of the counted ones. So what samples give to them is taken out of it, and never more than
 * there is: sums stay as they were measured. A recorded path keeps its time where it and what it counted have
 * fewer than COUNTED_LEAST_SAMPLES.
 */
#ifndef INSIDEME_COUNTED_TIMES_H
#define INSIDEME_COUNTED_TIMES_H

#include "analyzer/model/model.h"

#define COUNTED_LEAST_SAMPLES 16u

/* After the hooks' cost was taken out of the tree, before functions are summed up. */
void counted_times_take(struct model *model);

#endif
