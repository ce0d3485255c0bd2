/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which part of a counted function's time each thread has: that of its CPU samples. Samples of all processes
 * gave the function its time, see counted_times.h.
 */
#pragma once

#include "analyzer/model/model.h"

/* The samples of one thread in one function, as parts of all that the function has. */
struct sample_share {
	const struct thread *thread;
	uint32_t function;	/* its number */
	double self, total;	/* of the samples in it; with those of what it called. 0 to 1 */
};

struct sample_shares {
	struct sample_share *list; /* by function */
	size_t nr;
};

/* Of @process, if any of its functions are counted. */
void sample_shares_read(struct sample_shares *shares, struct process *process);
void sample_shares_release(struct sample_shares *shares);

/* Those of @function: @*nr from there on. */
const struct sample_share *sample_shares_of(const struct sample_shares *shares,
					    const struct function *function, size_t *nr);
