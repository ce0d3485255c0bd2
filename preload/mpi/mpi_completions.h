/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that complete requests: the Wait and Test families, MPI_Request_free. */
#pragma once

#include "preload/mpi/mpi_arguments.h"
#include "preload/mpi/mpi_requests.h"

#define COMPLETIONS_FEW 64

/*
 * The requests that were passed to a call; NULL: not known. If there are more than a few, they are in memory
 * of their own.
 */
struct completions {
	struct request **requests;
	int nr;
	bool is_recorded;
	struct request *few[COMPLETIONS_FEW];
};

/* Before the call, which may free the handles. */
void completions_begin(struct completions *completions, const struct mpi_arguments *arguments);

/* What the call waits for: one of its requests; NULL: none is known. */
const struct mpi_message *completions_awaited(const struct completions *completions);

/*
 * After the call has returned(), if it @is_recorded. @has_succeeded: if not, it is not known what the call
 * completed.
 */
void completions_end(struct completions *completions, const struct mpi_arguments *arguments, bool is_recorded,
		     bool has_succeeded);
