/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a call's arguments to the messages that it made, or started. */
#pragma once

#include "preload/mpi/mpi_arguments.h"
#include "preload/mpi/mpi_comms.h"

/* Of one call: as far as its arguments say it, then what it transferred. */
struct messages {
	struct comm *comm; /* NULL: it has none, or one that is not known yet */
	int nr;
	struct mpi_message list[2];
};

/* Before the call, of which MPI must not be asked yet. */
void messages_prepare(struct messages *messages, const struct mpi_arguments *arguments);

/* What the call waits for; NULL: for nothing. */
const struct mpi_message *messages_awaited(const struct messages *messages,
					   const struct mpi_arguments *arguments);

/*
 * Report what a call that succeeded transferred, and remember the requests that it started. After it has
 * returned in the recorder. Return: how many messages were reported.
 */
int messages_report(struct messages *messages, const struct mpi_arguments *arguments);

/* A receive of @comm is over: fill in what its status says. */
void message_know_status(struct mpi_message *message, const struct comm *comm, const struct status *status);
