/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a program says of itself, in a built log. */
#ifndef BUILD_MARKS_H
#define BUILD_MARKS_H

#include "test/unit/build_log.h"

/*
 * In @node of @thread: mark "converged" 700 ms and failure "timeout" 800 ms after the log's begin, with the message @message; timer "solve", 2
 * spans: from 100 ms to 400 ms with 50 ms in pauses, and 10 us, too short to be told alone; the counter "residual": 1.5, 0.25 at 200, 600 ms.
 */
void build_marks(struct build *build, const struct log_thread *thread, const struct log_node *node, const char *message);

#endif
