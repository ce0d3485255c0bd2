/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Slices: one compact record for each finished call that lasted at least the threshold. */
#pragma once

#include "preload/state/live.h"

/*
 * Write the call of @frame, which ended at @end_ticks; @broken: without an exit. A call that was not timed
 * has the known bound of its start.
 */
void slice_write(struct log_thread *thread, const struct log_frame *frame, uint64_t end_ticks, bool broken);

/*
 * If the user asked for every call, say once that the room for them has ended: at a new chunk, or at the end.
 */
void slices_watch_room(const struct log_header *log);
