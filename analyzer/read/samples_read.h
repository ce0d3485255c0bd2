/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CPU samples: which call paths the threads were in. They judge the hooks' times, whose own cost is in these. */
#ifndef INSIDEME_SAMPLES_READ_H
#define INSIDEME_SAMPLES_READ_H

#include "analyzer/model/model.h"

/* Add the samples of a log to its paths, after its nodes. */
void samples_read(struct process *process);

/*
 * Give each path the samples of all paths below it, before functions are summed up. Where hooks recorded calls, samples in
 * a function without hooks count for its innermost caller that has them, as its time does. Where none did, samples are all
 * that is known (model->is_sampled).
 */
void samples_sum_up(struct model *model);

/* Estimate self times of functions from hooks and samples together. Called once the tree is summed up. */
void samples_judge(struct model *model);

static inline bool samples_exist(const struct model *model)
{
	return model->samples.nr + model->samples.in_hooks > 0;
}

/*
 * The standard error of the part that @nr of all samples outside of the recorder are; NAN: there are none. The part itself
 * is one of time: a sample stands for those that the kernel left out before it as well.
 */
double sample_share_error(uint64_t nr, uint64_t nr_all);

#endif
