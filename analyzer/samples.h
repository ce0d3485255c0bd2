/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CPU samples: which call paths the threads were in. They judge the hooks' times, whose own cost is in these. */
#ifndef INSIDEME_SAMPLES_H
#define INSIDEME_SAMPLES_H

#include "model.h"

/* Add the samples of a log to its paths, after its nodes. */
void samples_read(struct process *process);

/* Self times of functions by hooks and samples together, once the tree is summed up. */
void samples_judge(struct model *model);

/* What part of the samples outside of the recorder @nr are, and its standard error; NAN: there are none. */
struct sample_share {
	double part;		/* 0 to 1 */
	double error;
};
struct sample_share sample_share(uint64_t nr, uint64_t nr_all);

#endif
