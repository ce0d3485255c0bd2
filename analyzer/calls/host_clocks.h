/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How the clocks of a run's hosts differ, from the program's own messages: nothing arrives before it was
 * sent, and no barrier ends before its last rank has come. Each gives a bound; a line lies between those of
 * each host.
 */
#pragma once

#include "analyzer/calls/mpi_matching.h"

/* An offset is the reading of the host's clock, less that of the first host's clock. */
struct host_clock {
	const struct process *process; /* one of the host's */
	size_t nr_ranks;
	double begin_ns, end_ns; /* offset at the begin and the end of the run */
	double begin_least_ns,
		begin_most_ns; /* no line between all bounds lies outside of these; likewise: */
	double end_least_ns, end_most_ns;
	bool is_known; /* false: too few messages; its times are as the real-time clock has them */
	bool is_line;  /* false: no line lies between all bounds: these were crossed least */
};

/* Find the clocks of all hosts, the first one's first. Return: how many; the caller frees the list */
size_t host_clocks_find(const struct mpi_matching *matching, const struct model *model,
			struct host_clock **clocks);

/* Change the times of all transfers to the first host's clock. */
void host_clocks_apply(struct mpi_matching *matching, const struct model *model,
		       const struct host_clock *clocks, size_t nr_clocks);
