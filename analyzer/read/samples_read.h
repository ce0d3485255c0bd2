/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CPU samples: the call paths that threads were in. */
#pragma once

#include "analyzer/model/model.h"

/* Add the samples of a log to its paths, after nodes_read(). */
void samples_read(struct process *process);

/* Call @visit for each sample of a log again. */
typedef void samples_visit(struct thread *thread, const struct log_sample *sample, uint64_t offset,
			   void *context);
void samples_each(struct process *process, samples_visit *visit, void *context);

/* The CPU time that a sample stands for; of a sample of time: the time. */
static inline double sample_ns(const struct process *process, const struct log_sample *sample)
{
	return (double)process->header.sample_interval_ns * (1 + sample->missed);
}

/*
 * Give each path the samples of all paths below it, before functions are summed up. If hooks recorded calls,
 * samples in a function without hooks count for its innermost caller that has them, as its time does. Without
 * any hooks, samples are all that is known (model->is_sampled).
 */
void samples_sum_up(struct model *model);

static inline bool samples_exist(const struct model *model)
{
	return model->samples.nr + model->samples.in_hooks > 0;
}

/* Are there samples of time, which say when threads waited? */
static inline bool samples_know_waits(const struct model *model)
{
	return model->samples.waiting_ns + model->samples.ready_ns > 0;
}

/*
 * The standard error of the share of @nr in all samples outside of the recorder. NAN: there are no samples.
 * The share itself is one of time: a sample also stands for those that the kernel skipped before it.
 */
double sample_share_error(uint64_t nr, uint64_t nr_all);
