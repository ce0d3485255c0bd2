/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread that waits in a library call does not run. Rows say how much CPU time it used between them; single
 * calls say when in between it waited. So the CPU time belongs to the rest.
 */
#pragma once

#include "analyzer/base/curves.h"
#include "analyzer/model/model.h"

/* The columns of the curve of a thread's times. */
enum thread_times { TIMES_CPU, TIMES_WAIT, NR_TIMES };

/* Give @times, of the thread @tid, points where its waits begin and end. Reads the thread's single calls. */
void wait_curve_refine(struct curve *times, struct thread *thread, uint32_t tid);
