/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests, from the call that starts a transfer to the one that completes it. Any thread. A handle may stand
 * for several requests: those that MPI has completed at once may all have the same one, and a handle is used
 * again once it is free. So a call that may complete a request claims it first. While it is claimed, no other
 * call finds it.
 */
#pragma once

#include "preload/mpi/mpi_comms.h"

struct request {
	struct request *next;
	word handle;
	struct comm *comm; /* of the receive; held */
	bool is_persistent;
	bool is_active;	   /* a transfer has begun, and is not known to be over */
	bool is_cancelled; /* MPI_Cancel was called */
	bool is_claimed;
	struct mpi_pending pending;
};

/* Remember @pending, the newest one of its handle. Without memory it is not followed. */
void request_add(word handle, struct comm *comm, bool is_persistent, const struct mpi_pending *pending);

/* The newest unclaimed one of the handle; NULL: none. Valid until someone completes it. */
struct request *request_find(word handle);
struct request *request_claim(word handle);
void request_unclaim(struct request *request);
/* A claimed request is over. */
void request_remove(struct request *request);
