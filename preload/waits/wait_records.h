/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records of what calls waited for. They belong to a thread, and are used by it and by its signal handlers.
 */
#pragma once

#include "preload/state/live.h"

/* As in struct log_wait. */
struct wait_key {
	uint32_t node;
	uint32_t object_kind;
	uint64_t object;
	uint64_t init_addr;
	uint64_t caller_addr;
	uint32_t holder_thread;
	uint32_t holder_node;
};

/*
 * The record of @key; made if it is new. If there is no room for one more, it is that of the path alone, or
 * NULL: then the object is not known, and LOG_LOST_WAITS counts it.
 */
struct log_wait *wait_record(struct log_thread *thread, const struct wait_key *key);

/* Module @number is gone, which was at [@begin, @end): mark all addresses in it. */
void wait_records_retire(uint64_t begin, uint64_t end, uint64_t number);

/* The record of the task @tid and the path that it is in, as far as they are known; else both 0. */
void holder_find(uint32_t tid, uint32_t *thread, uint32_t *node);
