/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The entries and exits of calls, in the order of time. The run may have ended or go on. If it goes on, it is
 * read several times, and each reading continues the one before it. Calls are known from their slices, and
 * from their frames while they are open. Memory does not grow with the log.
 */
#pragma once

#include "analyzer/model/model.h"

/* broken: by an exception, a longjmp, or the thread's end */
enum call_event_kind { CALL_BEGINS, CALL_RETURNS, CALL_BREAKS };

struct call_event {
	enum call_event_kind kind;
	uint64_t index;			/* from 0, over all readings */
	uint64_t ticks;			/* of thread->process */
	int64_t time;			/* model time */
	struct thread *thread;
	uint32_t tid;
	const char *thread_name;
	struct tree_node *node;		/* NULL: damaged */
	double duration_ns;		/* NAN for an entry */
	double lasts_ns;		/* the call's duration, also for an entry; NAN: not known yet */
	int64_t start;			/* of the call, model time */
	struct log_memory_reading memory;	/* as the hook read it; LOG_NONE: not read */
};

struct call_events;

struct call_events *call_events_new(void);
void call_events_free(struct call_events *events);

/*
 * Begin a reading. @model: the run as it is now. @is_last: its logs are complete, or no more is wanted from
 * them. Otherwise, events after the last instant that is known of all threads wait for the next reading.
 */
void call_events_begin(struct call_events *events, struct model *model, bool is_last);
/* Return: false at the end of the reading. */
bool call_events_next(struct call_events *events, struct call_event *event);
/* End a reading. The model may then be freed. */
void call_events_end(struct call_events *events);

/* So far: exits that will not come because their records are missing; events that came after later ones. */
uint64_t call_events_nr_lost(const struct call_events *events);
uint64_t call_events_nr_late(const struct call_events *events);
