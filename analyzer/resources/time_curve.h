/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CPU time of a thread, and its time ready but without a processor, up to any time. */
#pragma once

#include "analyzer/base/curves.h"
#include "analyzer/model/model.h"

/* The columns of the curve of a thread's times. */
enum thread_times { TIMES_CPU, TIMES_WAIT, NR_TIMES };

/* Is it the only thread, so that what is known of the process is known of it? */
bool thread_is_alone(const struct thread *thread);

/*
 * Read @times, a curve of NR_TIMES numbers in ns, of the thread @tid; without points if nothing is known.
 * Return: by how many ns the CPU time may lag
 */
double time_curve_read(struct curve *times, struct thread *thread, uint32_t tid);

/* The rows of @set that are of one thread; NULL: none. */
const struct rowset *thread_rowset(const struct process *process, const char *set, uint32_t tid);
/*
 * How much a counter grew from the row before up to @row. It may start again, for another thread with the
 * same tid. @column: -1: there is none
 */
double rowset_growth(const struct rowset *rows, size_t row, int column);
