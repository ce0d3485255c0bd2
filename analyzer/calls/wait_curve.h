/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread that waits in a library call does not run. Rows say how much CPU time it used between them; single
 * calls say when in between it waited. So the CPU time belongs to the rest.
 */
#pragma once

#include "analyzer/base/curves.h"
#include "analyzer/model/model.h"
#include "analyzer/resources/time_curve.h"

/* Do calls of this kind use hardly any CPU time? Input and output copy data, and barriers may spin. */
bool wait_is_blocked(enum log_wait_kind kind);

/*
 * Does such a call do nothing but wait? One for events or a child may only ask: it then returns at once.
 */
bool wait_is_blocked_throughout(enum log_wait_kind kind);

/*
 * Give @times, of the thread @tid, points where its waits begin and end. @rows and @waits get what was known
 * before, and how long it had waited: for wait_curve_doubt(). CPU time in @times may lag by @lag_ns. Reads
 * the thread's single calls.
 */
void wait_curve_refine(struct curve *times, struct curve *rows, struct curve *waits, double lag_ns,
		       struct thread *thread, uint32_t tid);

/*
 * Between two times, the most CPU time that @rows and @waits allow, less the least: between two rows it may
 * have been used at any time outside of waits. Outside of the rows nothing is known.
 */
double wait_curve_doubt(const struct curve *rows, struct curve *waits, int64_t from, int64_t to);
