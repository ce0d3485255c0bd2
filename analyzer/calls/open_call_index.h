/* SPDX-License-Identifier: GPL-3.0-or-later */
/* call_events.c's own: what is known of logs and their threads from one reading of a run that goes on to the next. */
#ifndef INSIDEME_OPEN_CALL_INDEX_H
#define INSIDEME_OPEN_CALL_INDEX_H

#include "analyzer/base/hashtable.h"
#include "analyzer/calls/slices.h"

/* A call whose entry was given, and its exit not yet. */
struct begun_call {
	uint64_t start;			/* ticks >> slice_shift */
	uint32_t ref;			/* of its node */
	uint32_t nr_missed;		/* readings since it was open; its slice has not come yet */
};

/* A call that will go on for longer than is being read; its entry was not given yet. */
struct entered_call {
	uint64_t start_ticks;
	uint32_t ref;
	uint32_t tid;
	uint32_t depth;
	struct log_memory_reading memory;	/* at its entry */
	bool is_given;			/* its slice came, and gave it */
};

/* call_order.c's own: the first of some calls that have ended and whose caller has not. */
struct calls_within {
	const struct tree_node *parent;
	uint64_t start_ticks;
	uint64_t floor_ticks;		/* when the call ended that came before it */
};

/* A thread's record in a log. */
struct caller {
	uint32_t ref;
	struct thread *thread;		/* of the model that is being read; NULL: left out by now */
	struct { uint64_t chunk_offset; uint32_t nr_read; } places[2];	/* see struct slice_place */
	struct begun_call *begun;	/* in the order of their starts */
	size_t nr_begun;
	struct entered_call *entered;	/* likewise, as far as they are sorted */
	size_t nr_entered;
	size_t nr_sorted;
	size_t next_entered;		/* those before it were given */
	struct calls_within *within;	/* the innermost last */
	size_t nr_within;
	uint64_t last_ticks;		/* end of the last call */
};

struct known_log {
	char *path;
	int64_t last;			/* process->last at the reading before; NO_TIME: there was none */
	bool has_ended;			/* its process, by then: all of it could be read */
	struct caller **callers;	/* by ref */
	size_t nr_callers;
};

struct callers {
	struct hashtable by_path;
	struct known_log **logs;
	size_t nr_logs;
};

/* The log of @process, and its threads as thread->caller. */
struct known_log *callers_of(struct callers *callers, struct process *process);
void callers_release(struct callers *callers);

/* The start of a call in units of slices. */
uint64_t caller_units(const struct caller *caller, uint64_t ticks);

/* The begun call of a slice, or of a frame; NULL: there is none. */
struct begun_call *caller_find_begun(const struct caller *caller, uint64_t start_ticks, uint32_t ref);
void caller_add_begun(struct caller *caller, uint64_t start_ticks, uint32_t ref);
void caller_remove_begun(struct caller *caller, struct begun_call *call);

void caller_add_entered(struct caller *caller, const struct entered_call *call);
void caller_sort_entered(struct caller *caller);
/* The entered call of a slice, among those that are sorted; NULL: there is none. */
struct entered_call *caller_find_entered(const struct caller *caller, uint64_t start_ticks, uint32_t ref);

#endif
