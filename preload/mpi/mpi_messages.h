/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a call's arguments to the messages that it made. */
#ifndef INSIDEME_MPI_MESSAGES_H
#define INSIDEME_MPI_MESSAGES_H

#include "preload/mpi/mpi_calls.h"
#include "preload/mpi/mpi_library.h"
#include "preload/mpi/mpi_recorder.h"

/* A call of the program. */
struct mpi_arguments {
	enum mpi_call id;
	enum mpi_variant variant;
	const word *values;	/* [MPI_ARGUMENTS_MOST]; those that the call does not have are 0 */
};

/* Before the call: what it frees must be forgotten before the same handle can come again. */
void messages_before(const struct mpi_arguments *arguments);

/* After the call, while it is open in the recorder. @has_succeeded: else its arguments may mean nothing. */
void messages_after(const struct mpi_recorder *recorder, const struct mpi_arguments *arguments,
		    bool has_succeeded);

#endif
