/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Communicators. A name is the same in all ranks, without any message. It has the name of the parent
 * communicator, the number of the creation from that parent, and the lowest world rank in the new one:
 * "MPI_COMM_WORLD/1@0".
 */
#pragma once

#include "preload/mpi/mpi_library.h"

struct comm {
	struct comm *next;
	word handle;
	uint32_t label;
	uint32_t nr_created;
	uint32_t nr_holds;	/* by requests, and by the list while its handle is valid */
	bool is_inter;
	bool is_promised;	/* MPI may not be asked about it before the program uses it */
	int nr_neighbours;	/* to which it sends, plus 1; 0: MPI was not asked yet */
	int nr_peers;		/* size of the peers' group: in an intercommunicator the other group */
	int *world_ranks;	/* of the peers; NULL: their ranks are world ranks */
	char name[64];
};

/* A communicator that is already known, without asking MPI; NULL: it is not known. Any thread. */
struct comm *comm_known(word handle);

/* The communicator of a call, entered if it is new. NULL: no memory. Any thread. */
struct comm *comm_find(word handle);

/* A call that all ranks of @parent made has made @handle from it; @handle may be MPI_COMM_NULL. */
void comm_created(word parent, word handle);

/* The same, where the communicator may be used only later. */
void comm_promised(word parent, word handle);
/* The same, where it was made from a group, with a text that all its ranks gave. */
void comm_of_group(const char *text, word handle);

/*
 * The same for a window, whose name is "MPI_COMM_WORLD/window1@0". comm_known() finds it; comm_find() must
 * not be asked for it.
 */
void window_created(word parent, word handle);

/* The handle is about to be freed: MPI may use it again for another communicator. */
void comm_forget(word handle);

/* A request needs the communicator even when its handle is gone. */
void comm_hold(struct comm *comm);
void comm_release(struct comm *comm);

/* After a neighbourhood collective: to how many neighbours it sends. -1: not known. */
int comm_neighbours(struct comm *comm);

/* The world rank of @peer in @comm; LOG_PEER_NONE: it has none, for example in a spawned world. */
int comm_world_rank(const struct comm *comm, int peer);
