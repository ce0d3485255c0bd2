/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The records that MPI calls which communicate have of their own. */
#pragma once

#include "analyzer/model/model.h"

/* A message, or a rank's part in a collective, that a call made, started or completed. */
struct transfer {
	const struct log_messages *route; /* communicator, peer, direction; of the call that started it */
	struct tree_node *path;		  /* of the call; NULL: not known */
	int64_t begin, end;		  /* of the call, in model time */
	int64_t started;		  /* of a completion: begin of the call that started it; else begin */
	uint32_t flags;			  /* LOG_TRANSFER_ */
	uint32_t thread;		  /* index in its process */
	int32_t tag;			  /* LOG_TAG_ANY: not known */
	int32_t root;			  /* of a collective */
	enum log_collective collective;
	uint64_t sized_bytes; /* bytes + 1; 0: not known */
	uint32_t rank;	      /* these three are for mpi_matching.h */
	struct transfer *partner;
	struct collective *together;
};

/* The path of the calls of @messages, one of @process->messages; NULL: not known, or left out. */
struct tree_node *messages_path(const struct process *process, const struct log_messages *messages);

/* How many a process has. */
uint64_t transfers_count(const struct process *process);
/*
 * Of very many, those of the run's begin are taken: matching goes by order. Return: the model time from which
 * on they are not; INT64_MAX: all are
 */
int64_t transfers_until(const struct model *model);

/*
 * The transfers of a process, thread by thread, in the order in which calls ended. Transfers that began
 * when records were already lost, or at the model time @until or later, are left out. The caller frees the
 * list. Return: how many
 */
size_t transfers_read(struct process *process, int64_t until, struct transfer **list);
