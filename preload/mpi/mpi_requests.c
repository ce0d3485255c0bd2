/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests: lists by hash, newest first, since programs with many neighbours have many. */
#include "preload/mpi/mpi_requests.h"

#include <pthread.h>
#include <stdlib.h>

#define LISTS 1024u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct request *lists[LISTS];
static struct request *unused;

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

	pthread_mutex_lock(&lock);
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
	pthread_mutex_unlock(&lock);
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

	pthread_mutex_lock(&lock);
	request = find(handle);
	pthread_mutex_unlock(&lock);
	return request;
}

struct request *request_claim(word handle)
{
	struct request *request;

	pthread_mutex_lock(&lock);
	request = find(handle);
	if (request)
		request->is_claimed = true;
	pthread_mutex_unlock(&lock);
	return request;
}

void request_unclaim(struct request *request)
{
	pthread_mutex_lock(&lock);
	request->is_claimed = false;
	pthread_mutex_unlock(&lock);
}

void request_remove(struct request *request)
{
	struct request **at = list_of(request->handle);

	pthread_mutex_lock(&lock);
	while (*at != request)
		at = &(*at)->next;
	*at = request->next;
	request->next = unused;
	unused = request;
	pthread_mutex_unlock(&lock);
	comm_release(request->comm);
}
