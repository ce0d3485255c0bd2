/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The functions of libinsideme.so for libinsideme-mpi.so, which looks up the variable insideme_mpi_recorder.
 * Both come from one build; another version is not used.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define MPI_RECORDER_VERSION 4

/* What one call transferred. A call that sends and receives has two such messages. */
struct mpi_message {
	uint32_t direction;	/* enum log_message_direction */
	uint32_t label;		/* of the communicator's name; 0: none */
	int32_t peer;		/* world rank, or enum log_message_peer */
	uint32_t detail;	/* zigzag of the tag, or of a collective root << 2 | enum log_collective */
	uint64_t bytes;
	bool is_size_known;
	bool is_further;	/* not the first message of its call */
	bool is_pending;	/* the call only starts the transfer */
};

/* A transfer that a call started, and another one will complete. */
struct mpi_pending {
	uint64_t begin_ticks;	/* these four: of the call that started it, for the recorder alone */
	uint32_t thread;
	uint32_t node;
	uint64_t caller_addr;
	struct mpi_message message;
};

struct mpi_recorder {
	uint32_t version;
	/* As -finstrument-functions calls them. */
	void (*enter)(void *function, void *call_site);
	void (*exit)(void *function, void *call_site);
	/* Is an MPI call of the calling thread open? Calls that it makes itself are part of it. */
	bool (*is_within)(void);
	/*
	 * After enter(): is the call recorded? Then it stays timed, and is_within() is true until it ends.
	 * @caller_addr: where the program goes on after it
	 */
	bool (*entered)(void *function, uintptr_t caller_addr);
	/* Before the real call of a recorded one: what it waits for. */
	void (*awaits)(const struct mpi_message *message);
	/*
	 * After the real call of a recorded one, which ends now. False: a jump has removed its frame, and it
	 * is lost.
	 */
	bool (*returned)(void);
	/* After returned(): a message of the call. A call without messages has one of LOG_MESSAGE_NONE. */
	void (*message)(const struct mpi_message *message);
	/* The same call started @pending, whose message is filled. */
	void (*started)(struct mpi_pending *pending);
	/* The same for a call that completed it. @message: what it was; NULL: it was cancelled. */
	void (*completed)(const struct mpi_pending *pending, const struct mpi_message *message);
	/* In place of exit(), for a call that has returned(). False: call exit(). */
	bool (*left)(void *function);
	/* A call that may have communicated is not recorded: later ones match no other rank's. */
	void (*lost)(void);
	/* The number of a communicator's name; 0: no room. */
	uint32_t (*label)(const char *name);
	/* The rank in MPI_COMM_WORLD, and the number of ranks: the launcher's environment may be wrong. */
	void (*rank)(int rank, int nr_ranks);
	/* MPI_Pcontrol(0) and (1): recording of all calls stops, and goes on. */
	void (*control)(bool is_on);
	/* The program defines functions of these names itself: calls of them are not recorded. */
	void (*bypassed)(const char *names);
	/* +1 before, -1 after work of ours, or of MPI for us: its memory is not counted as the program's. */
	void (*own_work)(int step);
};

extern const struct mpi_recorder insideme_mpi_recorder;
