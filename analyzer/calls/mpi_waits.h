/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which rank waited for which in MPI calls, and for how long, from the records of all ranks. */
#pragma once

#include "analyzer/calls/host_clocks.h"
#include "analyzer/model/rank_sums.h"

struct mpi_waits {
	struct mpi_wait *waits; /* longest first */
	size_t nr;
	struct mpi_recorded *recorded;
	size_t nr_recorded;
	struct host_clock *clocks; /* of each host, the first one's first */
	size_t nr_clocks;
	int64_t until;		/* calls that began later were not read; INT64_MAX: all were */
	bool is_cut;		/* not all were, here or in a saved profile */
	uint64_t nr_matched;   /* receives, and parts in collectives, whose other side is known */
	uint64_t nr_unmatched; /* and is not known */
};

void mpi_waits_read(struct model *model, struct mpi_waits *waits);
void mpi_waits_release(struct mpi_waits *waits);
