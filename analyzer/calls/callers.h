/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For call_events.c: what it keeps about logs and their threads from one reading of a run to the next. */
#pragma once

#include "analyzer/base/hashtable.h"
#include "analyzer/calls/slices.h"

/* A call whose entry was returned, and its exit was not. */
struct begun_call {
	uint64_t start;			/* ticks >> slice_shift */
	uint32_t ref;			/* of its node */
	uint32_t nr_missed;		/* readings since it was open, during which no slice of it came */
};

/* A call that ends after the current reading. Its entry was not returned yet. */
struct entered_call {
	uint64_t start_ticks;
	uint32_t ref;
	uint32_t tid;
	uint32_t depth;
	double lasts_ns;		/* NAN: it is open */
	struct log_memory_reading memory;	/* at its entry */
	bool is_given;			/* its slice came, and the entry with it */
};

/* For call_order.c: the first of some calls that have ended and whose caller has not. */
struct calls_within {
	const struct tree_node *parent;
	uint64_t start_ticks;
	uint64_t floor_ticks;		/* end of the call before it */
};

/* A thread's record in a log. */
struct caller {
	uint32_t ref;
	struct thread *thread;		/* in the model that is being read; NULL: it is left out now */
	struct { uint64_t chunk_offset; uint32_t nr_read; } places[2];	/* see struct slice_place */
	struct begun_call *begun;	/* in the order of their starts */
	size_t nr_begun;
	struct entered_call *entered;	/* in the order of their starts, up to nr_sorted */
	size_t nr_entered;
	size_t nr_sorted;
	size_t next_entered;		/* the entries before it were returned */
	struct calls_within *within;	/* the innermost last */
	size_t nr_within;
	uint64_t last_ticks;		/* end of the last call */
};

struct known_log {
	char *path;
	int64_t last;			/* calls that began by then were open at the previous reading, or
					 * have ended; NO_TIME: there was none */
	int64_t looked;			/* those that were not open have ended by then */
	bool has_ended;			/* the process had ended by then, so all of it was read */
	struct caller **callers;	/* by ref */
	size_t nr_callers;
};

struct callers {
	struct hashtable by_path;
	struct known_log **logs;
	size_t nr_logs;
	struct caller **of;		/* [thread_number()] of the model that is being read; NULL: no
					 * events are read from it */
};

/* Begin to read a model. */
void callers_begin(struct callers *callers, const struct model *model);
/* The log of @process. From now on its threads have callers. */
struct known_log *callers_of(struct callers *callers, struct process *process);
void callers_release(struct callers *callers);

/* The begun call of a slice or of a frame. NULL: none. */
struct begun_call *caller_find_begun(const struct caller *caller, uint64_t start_ticks, uint32_t ref);
void caller_add_begun(struct caller *caller, uint64_t start_ticks, uint32_t ref);
void caller_remove_begun(struct caller *caller, struct begun_call *call);

void caller_add_entered(struct caller *caller, const struct entered_call *call);
void caller_sort_entered(struct caller *caller);
/* The entered call of a slice, among those that are sorted. NULL: none. */
struct entered_call *caller_find_entered(const struct caller *caller, uint64_t start_ticks, uint32_t ref);
