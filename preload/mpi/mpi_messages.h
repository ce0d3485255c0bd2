/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a call's arguments to the messages that it made, or started. */
#ifndef INSIDEME_MPI_MESSAGES_H
#define INSIDEME_MPI_MESSAGES_H

#include "preload/mpi/mpi_arguments.h"
#include "preload/mpi/mpi_comms.h"
#include "preload/mpi/mpi_recorder.h"

/*
 * Report what a call that succeeded transferred, and remember the requests that it started. While it is open
 * in the recorder. Return: how many messages were reported.
 */
int messages_report(const struct mpi_recorder *recorder, const struct mpi_arguments *arguments);

/* A receive of @comm is over: fill in what its status says. */
void message_know_status(struct mpi_message *message, const struct comm *comm, const struct status *status);

#endif
