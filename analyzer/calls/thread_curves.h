/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The use of one thread, up to any time. */
#pragma once

#include "analyzer/base/curves.h"
#include "analyzer/calls/function_resources.h"

struct thread_use {
	uint32_t tid;
	struct curve times;	/* CPU time and waiting for a processor; exact where context switches were
				 * recorded */
	struct curve rows;	/* of these what was read: for the doubt */
	struct curve waits;	/* time in library calls that wait */
	double lag_ns;		/* by which what was read may lag */
	struct curve counts;	/* the process's counters, as far as they are this thread's */
	struct curve rss;
	struct curve gpu;
};

/* @tid: if several threads shared the record of @thread, which one. */
void thread_use_open(struct thread_use *use, struct thread *thread, uint32_t tid);
void thread_use_close(struct thread_use *use);

/*
 * Take out of the curves what the log has of calls: @known, bytes read and written. Set @stored: how much of
 * each such byte was read from storage, or written to it; NAN: not known.
 */
void thread_use_take_out(struct thread_use *use, const struct thread *thread, const double *known,
			 double *stored);

/* Its use between two model times: [NR_USES]; NAN: not known. */
void thread_use_between(struct thread_use *use, int64_t from, int64_t to, double *used);

/* Its times alone, which is less to read. */
void thread_times_open(struct thread_use *use, struct thread *thread, uint32_t tid);
/* The parts of the time between two model times, which make up all of it; NAN: not known. */
struct span_times {
	double cpu_ns, wait_ns, blocked_ns;	/* as USE_CPU_NS and the two that follow */
	double doubt_ns;			/* by which each of them may be wrong at most */
};
void thread_times_between(struct thread_use *use, int64_t from, int64_t to, struct span_times *times);
