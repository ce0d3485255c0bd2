/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A process before its first event. Most forked children and most programs without hooks end or exec before
 * they have anything to record, and a log of their own would cost more than all they do. So a process writes
 * an entry (struct log_entry) in a log that it shares. It opens its own log only when it has something to
 * record: a call, a thread, an allocation. A child's entry is in the log of an ancestor; a program's entry is
 * in the log that the run's programs share.
 */
#pragma once

#include <stdbool.h>

#include "preload/common/run/process_facts.h"
#include "preload/common/run/process_id.h"
#include "preload/common/run/run.h"
#include "preload/state/live.h"

struct open_calls;

/* Facts that a child must know about the thread that forked. */
struct fork_origin {
	uint64_t before_ns;		/* CLOCK_BOOTTIME before the fork */
	int64_t heap_before_bytes;	/* the heap that the child inherits */
	uint32_t heap_bytes;		/* enum log_heap_bytes: without hooks */
	bool counts_heap;		/* in the entry; samples of allocations need a log */
	uint32_t thread;		/* refs in the log of the parent, 0: none */
	uint32_t node;			/* the path that is open */
	struct open_calls *calls;	/* the calls of that path, to be opened again; NULL: none is open */
};

/* Make room for the child's entry. Called before a fork. */
void entry_make_room(void);

/*
 * Write the entry of the calling process, a child that was just forked. Return: false: it has no entry, and
 * needs a log of its own now. @origin->calls are kept in both cases. Makes few system calls and opens
 * nothing.
 */
bool entry_enter_child(const struct fork_origin *origin);

/*
 * Write the entry of this program in the shared log of @run. Maps that log, and creates it if it does not
 * exist. Called only by the constructor. @us_ticks as from run_us_ticks(), and not 0 unless the log is
 * mapped. @heap_bytes: enum log_heap_bytes. Return: false: it has no entry, and needs a log of its own now.
 */
bool entry_enter_program(struct run *run, const struct process_id *id, const struct facts *facts,
			 uint64_t us_ticks, uint32_t heap_bytes);

/* The entry of this process, which has no log of its own yet. NULL: it has a log, or is not recorded. */
struct log_entry *entry_own(void);
/* Is it the entry of a program, not of a child? */
bool entry_is_program(void);
/* The counters of the process's use of the heap. NULL: it is not counted. */
struct log_heap *entry_heap(void);
/* The texts of a program's entry. */
void entry_facts(const struct log_entry *entry, struct facts *facts);

/* The log with this process's entry, which also gets those of its children. NULL: none. */
struct log_header *entry_holder(void);

/*
 * Is the caller a vfork child, which runs in the memory of a process with an entry and no log? It must not
 * open one.
 */
bool entry_is_of_vfork_parent(void);

/* The calls that were open at the fork, for a log that is opened now. Returned once. */
struct open_calls *entry_take_calls(void);

/* This process now has @log; NULL: it will have none. Its children's entries go there. */
void entry_have_log(struct log_header *log);

/* The process ends without ever having had a log. @end: LOG_RUNNING removes the mark. */
void entry_mark_end(enum log_end end, int status);

/*
 * When a process without hooks opens its log: at an allocation, or in its sampling task, but not within its
 * first ms. Until then its entry counts allocations. 0: this process does not wait.
 */
extern HIDDEN uint64_t entry_due_ticks;
void entry_look(void);
/* Has this process, and not only a parent, reached that time? */
bool entry_is_due(void);
