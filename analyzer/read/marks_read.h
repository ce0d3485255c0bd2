/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of the program itself: marks, failures, spans of timers. Counters become sets of rows. */
#pragma once

#include "analyzer/model/model.h"

/* An instant that the program marked. */
struct mark {
	enum log_mark_kind kind;
	struct thread *thread;		/* NULL: not known */
	int64_t time;
	uint32_t node;			/* ref of the path at that time: nodes_path() */
	const char *name;		/* for a failure: its type */
	char *text;			/* NULL: none */
};

/* All spans of one timer, and those that have not ended. */
struct timer_sum {
	const char *name;
	uint64_t nr_spans;
	double total_ns;		/* without pauses */
	double paused_ns;
	double min_ns, max_ns;		/* NAN: no span */
	double square_ns2;		/* sum of squared times; 0: not known */
	uint64_t nr_open;		/* started, and not stopped when the process ended, or now */
	int64_t open_since;		/* the last start, if nr_open is not 0; model time */
};

/* A timer from start to stop. */
struct timer_span {
	struct thread *thread;		/* that stopped it; NULL: not known */
	int64_t start, end;		/* model time */
	double paused_ns;
	uint32_t node;
	const char *name;
};

/* The field that the program gave to a function or region. */
struct said_field {
	struct thread *thread;		/* NULL: not known */
	uint32_t node;
	const char *name;
};

/* For struct process. */
struct said {
	struct mark *marks;		/* in the order of the log: marks of several threads may be a
					 * little out of order */
	size_t nr_marks;
	struct timer_span *spans;
	size_t nr_spans;
	struct timer_sum *timers;
	size_t nr_timers;
	struct said_field *fields;
	size_t nr_fields;
};

/* Read them from the log of @process. Labels, threads and timebase must be known. */
void marks_read(struct process *process);
void marks_release(struct process *process);
