/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The entries and exits of calls, in the order of time, of a run that has ended or that goes on: then in several readings,
 * each of which goes on where the one before it ended. Calls are known by their slices and, as long as they are open, by their
 * frames. Memory does not grow with the log.
 */
#ifndef INSIDEME_CALL_EVENTS_H
#define INSIDEME_CALL_EVENTS_H

#include "analyzer/model/model.h"

enum call_event_kind { CALL_BEGINS, CALL_RETURNS, CALL_BREAKS };	/* the last: an exception, a longjmp, the thread's end */

struct call_event {
	enum call_event_kind kind;
	uint64_t index;			/* from 0, of all */
	uint64_t ticks;			/* of thread->process */
	int64_t time;			/* model time */
	struct thread *thread;
	uint32_t tid;
	const char *thread_name;
	struct tree_node *node;		/* NULL: damage */
	double duration_ns;		/* NAN at an entry */
	struct log_memory_reading memory;	/* as the hook read it; LOG_NONE: it did not */
};

struct call_events;

struct call_events *call_events_new(void);
void call_events_free(struct call_events *events);

/*
 * Begin a reading. @model: the run as it is now. @is_last: nobody writes its logs any more, or none of that is wanted;
 * else events later than what is known of all threads wait for the next reading.
 */
void call_events_begin(struct call_events *events, struct model *model, bool is_last);
/* Return: false at the reading's end. */
bool call_events_next(struct call_events *events, struct call_event *event);
/* End a reading: the model may be freed. */
void call_events_end(struct call_events *events);

/* So far: exits that will not come, for their records are missing; events that came after later ones. */
uint64_t call_events_nr_lost(const struct call_events *events);
uint64_t call_events_nr_late(const struct call_events *events);

#endif
