/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which rank waited for which in MPI calls, and for how long, from the records of all ranks. */
#pragma once

#include "analyzer/calls/host_clocks.h"

enum mpi_wait_kind {
	MPI_LATE_SENDER,   /* a receive began before the send */
	MPI_LATE_RECEIVER, /* a send that ended only after the receive was posted began before it */
	MPI_LATE_RANK,	   /* a collective began before the last rank came; or before its root did */
	MPI_WAIT_KINDS,
};

/* Equal waits: of one rank, for one rank, in calls of one path's function. */
struct mpi_wait {
	enum mpi_wait_kind kind;
	const struct process *process, *other; /* which waited; which came later */
	struct function *function, *caller;    /* caller: NULL: not known */
	uint64_t nr_calls;
	double waiting_ns, longest_ns;
};

/* Calls of one path's function that have records. */
struct mpi_recorded {
	struct function *function, *caller; /* caller: NULL: not known */
	uint64_t nr_calls;   /* that started or completed something themselves, not by a request */
	uint64_t nr_unknown; /* of these, and of calls that completed requests: the other side is not known */
};

struct mpi_waits {
	struct mpi_wait *waits; /* longest first */
	size_t nr;
	struct mpi_recorded *recorded;
	size_t nr_recorded;
	struct host_clock *clocks; /* of each host, the first one's first */
	size_t nr_clocks;
	int64_t until;		/* calls that began later were not read; INT64_MAX: all were */
	uint64_t nr_matched;   /* receives, and parts in collectives, whose other side is known */
	uint64_t nr_unmatched; /* and is not known */
};

void mpi_waits_read(struct model *model, struct mpi_waits *waits);
void mpi_waits_release(struct mpi_waits *waits);
