/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Persistent requests: lists by hash, since programs with many neighbours have many. */
#include "preload/mpi/mpi_requests.h"

#include <pthread.h>
#include <stdlib.h>

#define LISTS 256u

struct request {
	struct request *next;
	uint64_t handle;
	bool is_fortran;
	struct mpi_message message;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct request *lists[LISTS];

static struct request **place_of(uint64_t handle, bool is_fortran)
{
	struct request **at = &lists[(handle * 0x9e3779b97f4a7c15u >> 40) % LISTS];

	while (*at && ((*at)->handle != handle || (*at)->is_fortran != is_fortran))
		at = &(*at)->next;
	return at;
}

void request_add(uint64_t handle, bool is_fortran, const struct mpi_message *message)
{
	struct request **at;

	pthread_mutex_lock(&lock);
	at = place_of(handle, is_fortran);
	if (!*at)
		*at = calloc(1, sizeof(**at));
	if (*at) {
		(*at)->handle = handle;
		(*at)->is_fortran = is_fortran;
		(*at)->message = *message;
	}
	pthread_mutex_unlock(&lock);
}

bool request_find(uint64_t handle, bool is_fortran, struct mpi_message *message)
{
	const struct request *request;

	pthread_mutex_lock(&lock);
	request = *place_of(handle, is_fortran);
	if (request)
		*message = request->message;
	pthread_mutex_unlock(&lock);
	return request != NULL;
}

void request_forget(uint64_t handle, bool is_fortran)
{
	struct request **at, *request;

	pthread_mutex_lock(&lock);
	at = place_of(handle, is_fortran);
	request = *at;
	if (request)
		*at = request->next;
	pthread_mutex_unlock(&lock);
	free(request);
}
