/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a program reports itself, in a built log. */
#pragma once

#include "test/unit/build_log.h"

/*
 * In @node of @thread: mark "converged" 700 ms and failure "timeout" 800 ms after the log's start, with the
 * message @message; timer "solve" with 2 spans: from 100 ms to 400 ms with 50 ms of pauses, and 10 us, too
 * short for a record of its own; the counter "residual": 1.5, 0.25 at 200, 600 ms.
 */
void build_marks(struct build *build, const struct log_thread *thread, const struct log_node *node,
		 const char *message);

/*
 * 100 messages of 4,096 bytes that the calls of @node of @thread sent to rank @peer of the communicator
 * "world", 4 ms in all, the fastest 20 us. The numbers of labels go on from those of build_marks().
 */
struct log_messages *build_messages(struct build *build, const struct log_thread *thread,
				    const struct log_node *node, int peer);

/* A call of @thread that such a message was of: its begin, duration, tag. Transfers have an area of 4 KiB
 * each. */
struct build_transfer {
	const struct log_messages *route;
	double begin_ms, ms;
	uint32_t flags; /* LOG_TRANSFER_; with REQUEST: */
	double started_ms;
	const struct log_node *node;
	uint32_t detail, bytes;
};
void build_transfers(struct build *build, struct log_thread *thread, const struct build_transfer *transfers,
		     int nr_transfers);
