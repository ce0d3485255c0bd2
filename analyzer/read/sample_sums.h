/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CPU samples in the call tree, before functions are summed up. */
#ifndef INSIDEME_SAMPLE_SUMS_H
#define INSIDEME_SAMPLE_SUMS_H

#include "analyzer/model/model.h"

/*
 * Each path gets the samples of all below it. Where hooks have told of functions, samples of stacks that were met in a
 * function without hooks count for the innermost one that has them, as its time does; where none has, samples are all
 * that is known (model->is_sampled).
 */
void sample_sums_make(struct model *model);

#endif
