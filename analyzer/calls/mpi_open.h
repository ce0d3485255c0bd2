/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MPI calls that were open when their process ended, or are now, and which rank each of them waits for. */
#pragma once

#include "analyzer/model/model.h"

struct mpi_open {
	const struct process *process;
	struct function *function, *caller; /* caller: NULL: not known */
	double so_far_ns;		    /* up to the last known instant of its process */
	uint32_t direction;		    /* enum log_message_direction; LOG_MESSAGE_NONE: not known */
	const char *communicator;	    /* NULL: not known */
	int64_t for_rank;   /* sender, receiver, root, or the lowest absent; INT64_MIN: not known */
	int64_t tag;	    /* INT64_MIN: any, or not known */
	bool needs_all;	    /* it ends only after all ranks of the communicator have begun it */
	uint64_t nr_absent; /* of those: ranks with a log that are in none of its calls; else 0 */
};

/* The outermost of each stack. The caller frees the list. Return: how many */
size_t mpi_open_read(const struct model *model, struct mpi_open **list);
