/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of MPI calls that communicate: struct log_transfers says what each holds. */
#pragma once

#include "preload/state/live.h"

struct transfer {
	uint32_t route;	      /* log_messages.number */
	uint32_t flags;	      /* LOG_TRANSFER_ */
	uint32_t detail;      /* zigzag of the tag, or the root and enum log_collective, as in the log */
	uint32_t node;	      /* with LOG_TRANSFER_REQUEST: ref of the path of the call that completed it */
	uint64_t begin_ticks; /* of the call */
	uint64_t end_ticks;
	uint64_t started_ticks; /* with LOG_TRANSFER_REQUEST: begin of the call that started it */
	uint64_t sized_bytes;	/* bytes + 1; 0: not known */
};

/*
 * Write one for the calling thread; not callable from signal handlers. Without room it is counted as a loss.
 */
void transfer_write(struct log_thread *thread, const struct transfer *transfer);

/* A call since @begin_ticks may have communicated and has no record, so later ones match no other rank's. */
void transfer_lost(uint64_t begin_ticks);
