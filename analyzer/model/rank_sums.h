/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Relations between ranks: waits, and ranges over all ranks. They are computed from the records of all
 * ranks. A saved profile has no records, so it has these sums.
 */
#pragma once

#include <stdlib.h>

#include "analyzer/model/model.h"

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

/* The self time of one function, or of one field, in each rank that has it. */
struct rank_range {
	struct function *function; /* NULL: of a field */
	const char *field;
	double least_ns, sum_ns, most_ns;
	const struct process *whose; /* that has the most */
	uint64_t nr_ranks;	     /* that have it */
};

struct rank_sums {
	struct mpi_wait *waits;
	size_t nr_waits;
	struct mpi_recorded *recorded;
	size_t nr_recorded;
	struct rank_range *ranges;
	size_t nr_ranges;
	uint64_t nr_matched;   /* receives and parts in collectives whose other side is known */
	uint64_t nr_unmatched; /* and is not */
	bool is_cut;	       /* too many calls: those of the begin were read */
	bool is_part;	       /* of a part of a run: there is no more but ranges, and single calls */
	bool lacks;	       /* a saved profile of an earlier version has none */
};

static inline void rank_sums_release(struct rank_sums *sums)
{
	free(sums->waits);
	free(sums->recorded);
	free(sums->ranges);
}
