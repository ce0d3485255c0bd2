/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A process before its first event. Most forked children and most programs without hooks end, or exec, before they have
 * anything to record, and a log of their own would cost them more than all they do. So a process writes an entry (struct
 * log_entry) in a log that it shares, and opens its own log only when there is something for it: a call, a thread, an
 * allocation. A child's entry is in the log of an ancestor, a program's in the log that the run's programs share.
 */
#ifndef INSIDEME_ENTRY_H
#define INSIDEME_ENTRY_H

#include <stdbool.h>

#include "preload/common/run/process_facts.h"
#include "preload/common/run/process_id.h"
#include "preload/common/run/run.h"
#include "preload/state/live.h"

struct open_calls;

/* What a child needs to know of the thread that forked. */
struct fork_origin {
	uint64_t before_ns;		/* CLOCK_BOOTTIME before the fork */
	int64_t heap_before_bytes;	/* the heap that the child inherits */
	uint32_t heap_bytes;		/* enum log_heap_bytes: without hooks */
	bool counts_heap;		/* then, in the entry: samples need a log */
	uint32_t thread;		/* refs in the log of the parent, 0: none */
	uint32_t node;			/* the path that is open */
	struct open_calls *calls;	/* the same, to be opened again; NULL: none is open */
};

/* Called before a fork: makes room for the child's entry. */
void entry_make_room(void);

/*
 * Write the entry of the calling process, a child just forked. Return: false: there is none, and the child needs its own
 * log now. @origin->calls are kept in either case. Makes few system calls and opens nothing.
 */
bool entry_enter_child(const struct fork_origin *origin);

/*
 * Write the entry of this program in the shared log of @run, which is mapped if it is not yet, and made if it is not
 * there. Called by the constructor only. @us_ticks as run_us_ticks() has them, not 0, unless the log is mapped.
 * @heap_bytes: enum log_heap_bytes. Return: false: there is none, and this process needs its own log now.
 */
bool entry_enter_program(struct run *run, const struct process_id *id, const struct facts *facts, uint64_t us_ticks,
			 uint32_t heap_bytes);

/* The entry of this process, which has no log of its own yet; NULL: it has one, or is not recorded. */
struct log_entry *entry_own(void);
/* Is that a program's, not a child's? */
bool entry_is_program(void);
/* Where the process counts what it does with the heap; NULL: nowhere. */
struct log_heap *entry_heap(void);
/* The texts of a program's entry. */
void entry_facts(const struct log_entry *entry, struct facts *facts);

/* The log that has this process's entry and gets those of its children; NULL: none. */
struct log_header *entry_holder(void);

/* The caller is a vfork child: it runs in the memory of a process that has an entry and no log, and must not open one. */
bool entry_is_of_vfork_parent(void);

/* What is open since the fork, for a log that is opened now; given once. */
struct open_calls *entry_take_calls(void);

/* This process now has @log, or NULL: it will have none. Its children's entries go there. */
void entry_have_log(struct log_header *log);

/* The process ends without ever having had a log. @end: LOG_RUNNING takes the mark back. */
void entry_mark_end(enum log_end end, int status);

/*
 * A process without hooks opens its log with an allocation, or its sampling task does, but not within the first ms: what
 * it allocates in them is counted in its entry. 0: this process does not wait.
 */
extern HIDDEN uint64_t entry_due_ticks;
void entry_look(void);
/* Is it later than that, for this very process? */
bool entry_is_due(void);

#endif
