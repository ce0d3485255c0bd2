/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests: lists by hash, newest first, since programs with many neighbours have many. */
#include "preload/mpi/mpi_requests.h"

#include <sched.h>
#include <stdlib.h>

#define LISTS 1024u
#define TRIES 100

static bool is_locked; /* protects the lists; held for some instructions only */
static struct request *lists[LISTS];
static struct request *unused;

/* The program's mutexes are recorded as waits; this is none of them. */
static void take(void)
{
	for (int tries = 0; __atomic_exchange_n(&is_locked, true, __ATOMIC_ACQUIRE); tries++)
		if (tries % TRIES == TRIES - 1)
			sched_yield();
}

static void give(void)
{
	__atomic_store_n(&is_locked, false, __ATOMIC_RELEASE);
}

static struct request **list_of(word handle)
{
	return &lists[(handle * 0x9e3779b97f4a7c15u >> 40) % LISTS];
}

static struct request *new_request(void)
{
	struct request *request = unused;

	if (!request)
		return malloc(sizeof(*request));
	unused = request->next;
	return request;
}

void request_add(word handle, struct comm *comm, bool is_persistent, const struct mpi_pending *pending)
{
	struct request **list = list_of(handle), *request;

	take();
	request = new_request();
	if (request) {
		*request = (struct request){ .next = *list,
					     .handle = handle,
					     .comm = comm,
					     .is_persistent = is_persistent,
					     .is_active = !is_persistent,
					     .pending = *pending };
		comm_hold(comm);
		*list = request;
	}
	give();
}

static struct request *find(word handle)
{
	struct request *request = *list_of(handle);

	while (request && (request->handle != handle || request->is_claimed))
		request = request->next;
	return request;
}

struct request *request_find(word handle)
{
	struct request *request;

	take();
	request = find(handle);
	give();
	return request;
}

struct request *request_claim(word handle)
{
	struct request *request;

	take();
	request = find(handle);
	if (request)
		request->is_claimed = true;
	give();
	return request;
}

void request_unclaim(struct request *request)
{
	__atomic_store_n(&request->is_claimed, false, __ATOMIC_RELEASE);
}

void request_remove(struct request *request)
{
	struct request **at = list_of(request->handle);

	take();
	while (*at != request)
		at = &(*at)->next;
	*at = request->next;
	request->next = unused;
	unused = request;
	give();
	comm_release(request->comm);
}
