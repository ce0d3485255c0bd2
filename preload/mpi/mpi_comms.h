/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Communicators. A name is the same in all ranks, without any message: that of the communicator it was made
 * from, which of that one's creations it is, and the lowest world rank in it: "MPI_COMM_WORLD/1@0".
 */
#pragma once

#include "preload/mpi/mpi_library.h"

struct comm {
	struct comm *next;
	word handle;
	uint32_t label;
	uint32_t nr_created;
	uint32_t nr_holds;	/* by requests; and by the list, while its handle is valid */
	bool is_inter;
	int nr_peers;		/* of the group that peers are in: of an intercommunicator the other one */
	int *world_ranks;	/* of these; NULL: as they are */
	char name[64];
};

/* A communicator that is known already, without a question to MPI; NULL: it is not. Any thread. */
struct comm *comm_known(word handle);

/* The communicator of a call, made known when it is new. NULL: no memory. Any thread. */
struct comm *comm_find(word handle);

/* @handle was made from @parent by a call that all ranks of @parent made; it may be MPI_COMM_NULL. */
void comm_created(word parent, word handle);

/*
 * The same for a window, whose name is "MPI_COMM_WORLD/window1@0". comm_known() finds it; comm_find() must
 * not be asked for it.
 */
void window_created(word parent, word handle);

/* The handle is about to be freed: it may come again as another communicator. */
void comm_forget(word handle);

/* A request needs it also when its handle is gone. */
void comm_hold(struct comm *comm);
void comm_release(struct comm *comm);

/* The world rank of @peer in @comm; LOG_PEER_NONE: it has none, as ranks of a spawned world. */
int comm_world_rank(const struct comm *comm, int peer);
