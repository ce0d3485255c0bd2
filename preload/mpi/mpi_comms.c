/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Communicators: a list, newest first, since a program has few. */
#include "preload/mpi/mpi_comms.h"

#include <string.h>

#include "insideme_log.h"
#include "preload/mpi/mpi_lock.h"
#include "preload/mpi/mpi_memory.h"

#define PARENT_NAME_MAX	36
#define COMMS_AT_ONCE	32u
#define GRAPH_WITH_ARROWS 3 /* MPI_DIST_GRAPH, of both MPIs */

static bool is_locked; /* protects the list */
static struct comm *comms;
static uint32_t generation;	/* of the list: one more after each removal */

static bool unused_locked; /* protects the list of unused ones; may be taken under is_locked */
static struct comm *unused;

/* The communicator that the thread used last. */
static __thread struct {
	struct comm *comm;
	uint32_t generation;
} latest __attribute__((tls_model("initial-exec")));

static size_t ranks_bytes(int nr_peers)
{
	return ((size_t)nr_peers + 1) * sizeof(int);
}

static void free_ranks(struct comm *comm)
{
	pages_free(comm->world_ranks, ranks_bytes(comm->nr_peers));
	comm->world_ranks = NULL;
}

/* World ranks of a group. Return: the lowest; -1: not known. */
static int read_group(struct comm *comm, word group)
{
	int *ranks, lowest = -1;
	size_t bytes;

	if (mpi.group_size(group, &comm->nr_peers))
		return -1;
	bytes = ranks_bytes(comm->nr_peers);
	ranks = pages_new(bytes);
	comm->world_ranks = pages_new(bytes);
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
		free_ranks(comm);
		comm->nr_peers = 0;
	}
	pages_free(ranks, bytes);
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
	free_ranks(&own);
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

static struct comm *new_comm(void)
{
	struct comm *comm, *more;

	lock_take(&unused_locked);
	more = unused ? NULL : pages_new(COMMS_AT_ONCE * sizeof(*more));
	for (uint32_t i = 0; more && i < COMMS_AT_ONCE; i++) {
		more[i].next = unused;
		unused = &more[i];
	}
	comm = unused;
	if (comm) {
		unused = comm->next;
		*comm = (struct comm){ .next = NULL };
	}
	lock_give(&unused_locked);
	return comm;
}

/* "MPI_COMM_WORLD/window1" */
static void begin_name(struct comm *comm, struct comm *parent, const char *between)
{
	const char *end = comm->name + sizeof(comm->name);
	char *at = text_add(comm->name, comm->name + PARENT_NAME_MAX + 1, parent ? parent->name : "?");

	at = text_add(at, end, between);
	text_add_number(at, end, parent ? ++parent->nr_created : 0);
}

/* "@0" */
static void end_name(struct comm *comm, int lowest)
{
	const char *end = comm->name + sizeof(comm->name);
	char *at = text_add(comm->name + strlen(comm->name), end, "@");

	text_add_number(at, end, lowest);
}

static struct comm *list(struct comm *comm)
{
	comm->label = recorder->label(comm->name);
	comm->next = comms;
	comms = comm;
	return comm;
}

static struct comm *add(struct comm *parent, word handle, bool is_window)
{
	struct comm *comm = new_comm();
	const char *end;
	int lowest;

	if (!comm)
		return NULL;
	end = comm->name + sizeof(comm->name);
	comm->handle = handle;
	comm->nr_holds = 1;
	if (handle == mpi.comm_world) {
		text_add(comm->name, end, "MPI_COMM_WORLD");
		comm->nr_peers = mpi.nr_ranks;
	} else {
		lowest = is_window ? read_window(comm) : read_ranks(comm);
		if (handle == mpi.comm_self) {
			text_add(comm->name, end, "MPI_COMM_SELF");
		} else {
			begin_name(comm, parent, is_window ? "/window" : "/");
			end_name(comm, lowest);
		}
	}
	return list(comm);
}

static void keep_promise(struct comm *comm)
{
	comm->is_promised = false;
	end_name(comm, read_ranks(comm));
	comm->label = recorder->label(comm->name);
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
	if (comm && comm->is_promised && is_new)
		keep_promise(comm);
	if (comm && comm->is_promised)
		comm = NULL;
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

/* A rank that gets no communicator counts the creation too, because names must agree in all ranks. */
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

void comm_promised(word parent, word handle)
{
	struct comm *from = comm_find(parent), *comm = handle == mpi.comm_null ? NULL : new_comm();

	lock_take(&is_locked);
	if (from && !comm)
		from->nr_created++;
	if (from && comm) {
		comm->handle = handle;
		comm->nr_holds = 1;
		comm->is_promised = true;
		begin_name(comm, from, "/");
		comm->next = comms;
		comms = comm;
	}
	lock_give(&is_locked);
}

void comm_of_group(const char *text, word handle)
{
	struct comm *comm = handle == mpi.comm_null ? NULL : new_comm();
	char *at;

	if (!comm)
		return;
	recorder->own_work(1);
	lock_take(&is_locked);
	comm->handle = handle;
	comm->nr_holds = 1;
	at = text_add(comm->name, comm->name + sizeof(comm->name), "group/");
	text_add(at, comm->name + PARENT_NAME_MAX + 1, text);
	end_name(comm, read_ranks(comm));
	list(comm);
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
	free_ranks(comm);
	lock_take(&unused_locked);
	comm->next = unused;
	unused = comm;
	lock_give(&unused_locked);
}

int comm_world_rank(const struct comm *comm, int peer)
{
	int rank = comm->world_ranks && peer >= 0 && peer < comm->nr_peers ? comm->world_ranks[peer] : peer;

	return rank >= 0 ? rank : LOG_PEER_NONE;
}

/* Not known for a graph without edges; hardly any program makes one. */
int comm_neighbours(struct comm *comm)
{
	int topology, nr = -1, nr_in, is_weighted;

	if (comm->nr_neighbours)
		return comm->nr_neighbours - 1;
	recorder->own_work(1);
	if (mpi.topo_test(comm->handle, &topology))
		topology = -1;
	if (topology == mpi.cartesian && mpi.cartdim_get(comm->handle, &nr) == 0)
		nr *= 2;
	else if (topology != GRAPH_WITH_ARROWS ||
		 mpi.dist_graph_neighbors_count(comm->handle, &nr_in, &nr, &is_weighted))
		nr = -1;
	recorder->own_work(-1);
	comm->nr_neighbours = nr + 1;
	return nr;
}
