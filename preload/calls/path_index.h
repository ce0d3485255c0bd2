/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finding a thread's nodes, however many there are. Used by the thread and by handlers that interrupt it
 * anywhere. If a handler's change hides an entry, the path gets a second node, and readers merge both.
 */
#pragma once

#include "preload/calls/paths.h"

/* The ref of the node of @function_addr as called from @parent, 0: none. */
uint32_t path_index_find(const struct log_thread *thread, uint32_t parent, uint64_t function_addr);

/*
 * Room for one more node; @is_other: one under "(other paths)", for which some is kept. False: there is none.
 */
bool path_index_make_room(struct log_thread *thread, bool is_other);

/* Enter @ref, a node that is whole; there must be room. */
void path_index_add(struct log_thread *thread, uint32_t ref);
