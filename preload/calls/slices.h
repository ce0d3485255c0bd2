/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Slices: one compact record for each finished call that lasted at least the threshold. */
#pragma once

#include "preload/state/live.h"

/* The call of @frame, which ended at @end_ticks; @broken: without an exit. Not timed: with what is known of
 * its start. */
void slice_write(struct log_thread *thread, const struct log_frame *frame, uint64_t end_ticks, bool broken);

/* Who asked for every call hears it, once, when the room for that has ended: at a new chunk, or where none
 * comes at the end. */
void slices_watch_room(const struct log_header *log);
