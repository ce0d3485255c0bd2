/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Communicators: a list, newest first, since a program has few. */
#include "preload/mpi/mpi_comms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "insideme_log.h"
#include "preload/mpi/mpi_lock.h"

static bool is_locked; /* protects the list */
static struct comm *comms;
static uint32_t generation;	/* of the list: one more after each removal */

/* The communicator that the thread used last. */
static __thread struct {
	struct comm *comm;
	uint32_t generation;
} latest __attribute__((tls_model("initial-exec")));

/* World ranks of a group. Return: the lowest; -1: not known. */
static int read_group(struct comm *comm, word group)
{
	int *ranks, lowest = -1;

	if (mpi.group_size(group, &comm->nr_peers))
		return -1;
	ranks = calloc((size_t)comm->nr_peers + 1, sizeof(*ranks));
	comm->world_ranks = calloc((size_t)comm->nr_peers + 1, sizeof(*ranks));
	for (int i = 0; ranks && i < comm->nr_peers; i++)
		ranks[i] = i;
	if (ranks && comm->world_ranks &&
	    mpi.group_translate_ranks(group, comm->nr_peers, ranks, mpi.world_group, comm->world_ranks) ==
		    0) {
		for (int i = 0; i < comm->nr_peers; i++) {
			int world = comm->world_ranks[i];

			if (world >= 0 && (lowest < 0 || world < lowest))
				lowest = world;
		}
	} else {
		free(comm->world_ranks);
		comm->world_ranks = NULL;
		comm->nr_peers = 0;
	}
	free(ranks);
	return lowest;
}

/* Peers of an intercommunicator are in the other group; its name has the lowest rank of both. */
static int read_ranks(struct comm *comm)
{
	struct comm own = { 0 };
	int is_inter = 0, lowest, other;
	word group = 0;

	if (mpi.comm_test_inter(comm->handle, &is_inter) || mpi.comm_group(comm->handle, &group))
		return -1;
	comm->is_inter = is_inter;
	lowest = read_group(is_inter ? &own : comm, group);
	mpi.group_free(&group);
	free(own.world_ranks);
	if (!is_inter || mpi.comm_remote_group(comm->handle, &group))
		return lowest;
	other = read_group(comm, group);
	mpi.group_free(&group);
	return other >= 0 && other < lowest ? other : lowest;
}

static int read_window(struct comm *window)
{
	word group = 0;
	int lowest;

	if (mpi.win_get_group(window->handle, &group))
		return -1;
	lowest = read_group(window, group);
	mpi.group_free(&group);
	return lowest;
}

static struct comm *add(struct comm *parent, word handle, bool is_window)
{
	struct comm *comm = calloc(1, sizeof(*comm));
	int lowest;

	if (!comm)
		return NULL;
	comm->handle = handle;
	comm->nr_holds = 1;
	if (handle == mpi.comm_world) {
		strcpy(comm->name, "MPI_COMM_WORLD");
		comm->nr_peers = mpi.nr_ranks;
	} else {
		lowest = is_window ? read_window(comm) : read_ranks(comm);
		if (handle == mpi.comm_self)
			strcpy(comm->name, "MPI_COMM_SELF");
		else
			snprintf(comm->name, sizeof(comm->name), "%.36s/%s%u@%d", parent ? parent->name : "?",
				 is_window ? "window" : "", parent ? ++parent->nr_created : 0, lowest);
	}
	comm->label = recorder->label(comm->name);
	comm->next = comms;
	comms = comm;
	return comm;
}

static struct comm *find(word handle)
{
	struct comm *comm = comms;

	while (comm && comm->handle != handle)
		comm = comm->next;
	return comm;
}

static struct comm *look(word handle, bool is_new)
{
	struct comm *comm;

	lock_take(&is_locked);
	comm = find(handle);
	if (!comm && is_new)
		comm = add(NULL, handle, false);
	latest.comm = comm;
	latest.generation = generation;
	lock_give(&is_locked);
	return comm;
}

static bool is_latest(word handle)
{
	return latest.comm && latest.generation == __atomic_load_n(&generation, __ATOMIC_ACQUIRE) &&
	       latest.comm->handle == handle;
}

struct comm *comm_known(word handle)
{
	return is_latest(handle) ? latest.comm : look(handle, false);
}

struct comm *comm_find(word handle)
{
	struct comm *comm;

	if (is_latest(handle))
		return latest.comm;
	recorder->own_work(1);
	comm = look(handle, true);
	recorder->own_work(-1);
	return comm;
}

/* A rank that gets no communicator counts the creation too: names must agree. */
void comm_created(word parent, word handle)
{
	struct comm *from = comm_find(parent);

	recorder->own_work(1);
	lock_take(&is_locked);
	if (handle != mpi.comm_null)
		add(from, handle, false);
	else if (from)
		from->nr_created++;
	lock_give(&is_locked);
	recorder->own_work(-1);
}

void window_created(word parent, word handle)
{
	struct comm *from = comm_find(parent);

	recorder->own_work(1);
	lock_take(&is_locked);
	add(from, handle, true);
	lock_give(&is_locked);
	recorder->own_work(-1);
}

void comm_forget(word handle)
{
	lock_take(&is_locked);
	for (struct comm **at = &comms; *at; at = &(*at)->next) {
		struct comm *comm = *at;

		if (comm->handle != handle)
			continue;
		*at = comm->next;
		__atomic_add_fetch(&generation, 1, __ATOMIC_RELEASE);
		comm_release(comm);
		break;
	}
	lock_give(&is_locked);
}

void comm_hold(struct comm *comm)
{
	__atomic_add_fetch(&comm->nr_holds, 1, __ATOMIC_RELAXED);
}

void comm_release(struct comm *comm)
{
	if (__atomic_sub_fetch(&comm->nr_holds, 1, __ATOMIC_ACQ_REL))
		return;
	recorder->own_work(1);
	free(comm->world_ranks);
	free(comm);
	recorder->own_work(-1);
}

int comm_world_rank(const struct comm *comm, int peer)
{
	int rank = comm->world_ranks && peer >= 0 && peer < comm->nr_peers ? comm->world_ranks[peer] : peer;

	return rank >= 0 ? rank : LOG_PEER_NONE;
}
