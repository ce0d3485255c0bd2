/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What libinsideme.so offers to libinsideme-mpi.so, which looks up the variable insideme_mpi_recorder. Both
 * come from one build; another version is not used.
 */
#ifndef INSIDEME_MPI_RECORDER_H
#define INSIDEME_MPI_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#define MPI_RECORDER_VERSION 1

/* What one call transferred, or one half of it: a call that sends and receives has two. */
struct mpi_message {
	uint32_t direction;	/* enum log_message_direction */
	uint32_t label;		/* of the communicator's name; 0: none */
	int32_t peer;		/* world rank, or enum log_message_peer */
	uint16_t is_size_known;
	uint16_t is_further;	/* not the first one of its call */
	uint64_t bytes;
};

struct mpi_recorder {
	uint32_t version;
	/* As -finstrument-functions calls them. */
	void (*enter)(void *function, void *call_site);
	void (*exit)(void *function, void *call_site);
	/* Is an MPI call of the calling thread open? Calls that it makes itself are part of it. */
	bool (*is_within)(void);
	/* After enter(): is the call recorded? Then it stays timed, and is_within() is true until it ends. */
	bool (*entered)(void *function);
	/* Before exit() of a recorded call. A call without any message has one of LOG_MESSAGE_NONE. */
	void (*message)(const struct mpi_message *message);
	/* The number of a communicator's name; 0: no room. */
	uint32_t (*label)(const char *name);
	/* The rank in MPI_COMM_WORLD, and the number of ranks: the launcher's environment may be wrong. */
	void (*rank)(int rank, int nr_ranks);
};

extern const struct mpi_recorder insideme_mpi_recorder;

#endif
