/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests: lists by hash, newest first, since programs with many neighbours have many. */
#include "preload/mpi/mpi_requests.h"

#include <stddef.h>

#include "preload/mpi/mpi_lock.h"
#include "preload/mpi/mpi_memory.h"

#define LISTS 1024u
#define REQUESTS_AT_ONCE 256u

static bool is_locked; /* protects the lists; held for some instructions only */
static struct request *lists[LISTS];
static struct request *unused;

static struct request **list_of(word handle)
{
	return &lists[(handle * 0x9e3779b97f4a7c15u >> 40) % LISTS];
}

static void make_more(void)
{
	struct request *more = pages_new(REQUESTS_AT_ONCE * sizeof(*more));

	for (uint32_t i = 0; more && i < REQUESTS_AT_ONCE; i++) {
		more[i].next = unused;
		unused = &more[i];
	}
}

static struct request *new_request(void)
{
	struct request *request;

	if (!unused)
		make_more();
	request = unused;
	if (request)
		unused = request->next;
	return request;
}

void request_add(word handle, struct comm *comm, bool is_persistent, const struct mpi_pending *pending)
{
	struct request **list = list_of(handle), *request;

	lock_take(&is_locked);
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
	lock_give(&is_locked);
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

	lock_take(&is_locked);
	request = find(handle);
	lock_give(&is_locked);
	return request;
}

struct request *request_claim(word handle)
{
	struct request *request;

	lock_take(&is_locked);
	request = find(handle);
	if (request)
		request->is_claimed = true;
	lock_give(&is_locked);
	return request;
}

void request_unclaim(struct request *request)
{
	__atomic_store_n(&request->is_claimed, false, __ATOMIC_RELEASE);
}

void request_remove(struct request *request)
{
	struct request **at = list_of(request->handle);

	lock_take(&is_locked);
	while (*at != request)
		at = &(*at)->next;
	*at = request->next;
	request->next = unused;
	unused = request;
	lock_give(&is_locked);
	comm_release(request->comm);
}
