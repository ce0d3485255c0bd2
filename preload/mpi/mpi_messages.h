/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The messages that a call made or started, from its arguments. */
#pragma once

#include "preload/mpi/mpi_arguments.h"
#include "preload/mpi/mpi_comms.h"

/* One call: what its arguments say, then what it transferred. */
struct messages {
	struct comm *comm; /* NULL: none, or not known yet */
	int nr;
	struct mpi_message list[2];
};

/* Before the call. MPI must not be asked about it yet. */
void messages_prepare(struct messages *messages, const struct mpi_arguments *arguments);

/* What the call waits for; NULL: for nothing. */
const struct mpi_message *messages_awaited(const struct messages *messages,
					   const struct mpi_arguments *arguments);

/*
 * Report what a successful call transferred, and remember the requests that it started. Call it after the
 * recorder's returned(). Return: how many messages were reported.
 */
int messages_report(struct messages *messages, const struct mpi_arguments *arguments);

/* A receive on @comm, or a call that reads a file, is over: fill @message from its status. */
void message_know_status(struct mpi_message *message, const struct comm *comm, const struct status *status);
