/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Single calls by the clock, hooks included, for traces of other tools: begins and ends on tracks, in the
 * order of time. On a track calls are within each other or apart. A thread has more than one track where
 * its calls overlap, as those of coroutines do.
 */
#pragma once

#include "analyzer/ask/table_filter.h"
#include "analyzer/base/hashtable.h"
#include "analyzer/calls/call_events.h"
#include "analyzer/cells/view_context.h"

/* A call that is open on a track. */
struct trace_call {
	const struct tree_node *node;
	int64_t start;			/* model time of its entry */
	int64_t begin;			/* of it or, where it was cut in two, of this part */
	uint32_t depth;			/* calls around it on the track */
	uint64_t left_out_calls;	/* within it, that are not shown */
	double left_out_ns;		/* that those took */
	bool is_shown;
	bool is_inside;			/* it lies between model->from and model->to */
};

enum trace_end {
	TRACE_RETURNS,
	TRACE_BREAKS,	/* it did not return */
	TRACE_IS_CUT,	/* it goes on in another part: a call that overlaps it ends */
	TRACE_IS_OPEN,	/* the log ends before it */
};

struct track {
	struct process *process;
	struct thread *thread;
	uint32_t pid;			/* trace_pid() */
	uint32_t tid;
	uint32_t lane;			/* 0: the thread's first track */
	uint32_t number;		/* from 0, of all tracks */
	char *name;			/* for people; any bytes */
	struct trace_call *calls;	/* open ones, the innermost last */
	size_t nr_calls, room;
};

/* The functions of a format. @to: its own. */
struct trace_format {
	const char *name;
	size_t most_bytes;		/* --max-size where it is not given */
	size_t call_bytes;		/* a call takes in its file, */
	size_t left_out_bytes;		/* and so much more where calls in it are left out; */
	size_t (*name_bytes)(const struct function *function);	/* and this for its name; NULL: 0 */
	void (*track)(void *to, const struct track *track);	/* a new one */
	void (*begin)(void *to, const struct track *track, const struct trace_call *call); /* NULL: nothing */
	void (*end)(void *to, const struct track *track, const struct trace_call *call, int64_t time,
		    enum trace_end how);
};

struct trace {
	struct model *model;
	const struct report *report;
	const struct trace_format *format;
	void *to;
	double least_ns;		/* shorter calls are not shown */
	uint64_t nr_calls, nr_shown;	/* with a record, between model->from and model->to */
	struct row_filter *filter;	/* --filter; NULL: none. These five: trace.c's own */
	struct hashtable threads;
	struct trace_thread **list;
	size_t nr_threads;
	struct trace_thread *last;
	uint32_t nr_tracks;
};

/*
 * Find out which calls fit into @format's size. Return: exit status, after an error() where there are no
 * single calls, but sums. @taken_bytes: of the file, by what is no call.
 */
int trace_open(struct trace *trace, const struct report *report, const struct trace_format *format, void *to,
	       size_t taken_bytes);
/* Give all calls to the format. */
void trace_calls(struct trace *trace);
void trace_close(struct trace *trace);

/*
 * "12 of 345 calls are shown: those of at least 1.5 us", for an instant at the begin. Lives until the next
 * call.
 */
const char *trace_shown_text(const struct trace *trace);

/* "program (rank 3)". Lives until the next call. */
const char *trace_process_name(const struct process *process);
/* Its pid; another number where processes of several hosts or runs have the same. */
uint32_t trace_pid(const struct process *process);
/* "host a, run x, killed by SIGSEGV". Lives until the next call. */
const char *trace_process_label(const struct process *process);

/*
 * Something at an instant: marks, failures and snapshots of the program, errors, the process's end; at the
 * begin how much is shown, and what is in doubt.
 */
struct trace_instant {
	const struct process *process;
	uint32_t tid;			/* 0: not known, or all of them */
	int64_t time;			/* model time */
	const char *kind; /* "mark", "failure", "snapshot", "exception", "end", "in doubt", ... */
	const char *name;
	const char *text;		/* NULL: none */
};
void trace_instants(const struct trace *trace, void (*visit)(void *to, const struct trace_instant *instant));

/* A number over time: RSS, heap, CPU and the program's own counters. */
struct trace_counter {
	const struct process *process;
	uint32_t number;		/* from 0 */
	const char *name;
	const char *unit;		/* "bytes", "cores", "" */
};
/* A value holds until the next one. */
void trace_counters(struct model *model, void (*begin)(void *to, const struct trace_counter *counter),
		    void (*value)(void *to, const struct trace_counter *counter, int64_t time, double value),
		    void *to);
