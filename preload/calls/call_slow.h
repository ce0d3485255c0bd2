/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Begin and end of a call, however this process times its calls: for what is not on the hot path. */
#pragma once

#include "preload/calls/calls.h"

/* Set node and clock in a claimed frame, for a path that is not in the thread's cache, and publish it. */
void call_begin_slowly(struct log_thread *thread, struct log_frame *frame);

/* The same for a path that has been found. */
void call_begin_on_path(struct log_thread *thread, struct log_frame *frame, uint32_t ref);

/*
 * The thread's top call ends. As call_end(), but the histogram bucket is counted at once: a handler may
 * interrupt the end of another call, and a bucket that waits would be lost there.
 */
void call_end_top(struct log_thread *thread, bool broken);

/* The same for a call whose duration is not known. */
void call_end_untimed(struct log_thread *thread);

/* The thread's top call is of a function that became counted while it was open: its exit is not seen, and its
 * time not known. */
void call_drop_top(struct log_thread *thread);
