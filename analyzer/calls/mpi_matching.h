/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which rank's receive got which rank's send, and which calls are one collective. MPI's own rules say it,
 * without a message of ours: messages of one sender, receiver, communicator and tag arrive in the order of
 * their sends, at receives in the order in which these were posted; and all ranks call the collectives of a
 * communicator in one order. If that order is not known, nothing is matched.
 */
#pragma once

#include "analyzer/read/transfers_read.h"

/* One process that communicated. */
struct mpi_rank {
	struct process *process;
	struct transfer *transfers;
	size_t nr;
	struct transfer **starts; /* all but completions, by begin */
	size_t nr_starts;
	uint32_t world;	   /* ranks of one launch have the same */
	bool is_ambiguous; /* another process of its launch has its rank: nothing of both is matched */
};

/* A message of one rank that another rank got, or sent. */
struct message_end {
	struct transfer *transfer;
	uint32_t from, to; /* index of the rank that sends, and that receives */
	uint32_t communicator;
	int32_t tag;
	int64_t time; /* begin of the call that started it */
	bool is_doubtful; /* another receive may have taken this one's message */
};

/* All ranks' parts in one collective. */
struct collective {
	const struct transfer *last; /* whose begin was last; NULL before collectives_find_last() */
	const struct transfer *root; /* NULL: none */
};

struct mpi_matching {
	struct mpi_rank *ranks;
	size_t nr_ranks;
	struct message_end
		*receives; /* with probes; of those that were matched transfer->partner is the send */
	size_t nr_receives;
	struct collective_part {
		struct transfer *transfer;
		uint32_t communicator;
		uint32_t number; /* which of the communicator's */
	} * parts;		 /* the parts of one collective follow each other */
	size_t nr_parts;
	struct collective *collectives;
	size_t nr_collectives;
	int64_t until;			/* what began later is left out; INT64_MAX: nothing is */
	uint64_t nr_matched;   /* receives, and parts in collectives, that were */
	uint64_t nr_unmatched; /* and were not */
};

/* Match the messages of all processes that are reported. */
void mpi_match(struct model *model, struct mpi_matching *matching);
void mpi_matching_release(struct mpi_matching *matching);

/* The transfer that a completion of @rank completed; NULL: not known. */
struct transfer *transfer_start(const struct mpi_rank *rank, const struct transfer *completion);

/* Find the last part of each collective, once all times are of one clock. */
void collectives_find_last(struct mpi_matching *matching);
