/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A forked child before its first event. Most children exec or end at once, and a log of their own would cost
 * them more than all they do: so a child enters itself in the log of an ancestor, which it shares with it, and
 * opens its own only when there is something to record: a call, a thread, an allocation.
 */
#ifndef INSIDEME_CHILD_ENTRY_H
#define INSIDEME_CHILD_ENTRY_H

#include <stdbool.h>

#include "preload/state/live.h"

struct open_calls;

/* What the child of a fork needs to know of the thread that forked; from before the fork. */
struct child_origin {
	uint64_t before_ns;		/* CLOCK_BOOTTIME before the fork */
	int64_t heap_before_bytes;	/* the heap that it inherits */
	uint32_t heap_bytes;		/* enum log_heap_bytes: without hooks */
	bool counts_heap;		/* so, in its entry: samples need a log */
	uint32_t thread;		/* refs in the log of its parent, 0: none */
	uint32_t node;			/* the path that is open */
	struct open_calls *calls;	/* the same, to be opened again; NULL: none is open */
	bool is_interrupted;		/* it will return into a hook, see interrupted.h */
};

/*
 * This process is a program that has entered itself as @program in @common, which the run's programs share: it counts as
 * a child that has no log of its own yet, and gets one in the same ways.
 */
void child_is_program(struct log_header *common, struct log_program *program);
/* That entry, while this process has no log; NULL: it is none. */
struct log_program *child_program(void);

/* Before a fork: so that its child finds room for its entry. */
void child_make_room(void);

/* This process has a log of its own: its children enter themselves there, and the ancestor's is used no more. NULL: nowhere. */
void child_have_log(struct log_header *log);

/*
 * The calling process is a child, just forked. Return: whether it is entered; if not it needs a log of its own
 * now. @origin->calls are kept in either case. Makes few system calls and opens nothing.
 */
bool child_enter(const struct child_origin *origin);

/* The entry of this process, which has no log of its own yet, or NULL. It stays in the log of @child_ancestor(). */
struct log_child *child_entry(void);
/* Where that counts what a child without hooks does with the heap; NULL: it counts nothing. */
struct log_heap *child_heap(void);
struct log_header *child_ancestor(void);
/* The caller runs in the memory of a process that has an entry and no log: one would be that one's, under another's name. */
bool child_is_vforked(void);

/* What is open since the fork, for a log that is opened now; handed out once. */
struct open_calls *child_take_calls(void);

/* The process ends without ever having had a log. @end: LOG_RUNNING takes the mark back. */
void child_mark_end(enum log_end end, int status);

/*
 * Without hooks a child gets its log some ms after the fork, with an allocation: what it allocates before is in its entry.
 * Where no child waits child_due_ticks is 0.
 */
extern HIDDEN uint64_t child_due_ticks;
void child_look(void);

/* Is it later than that for this very process? A vfork child runs in our memory, but is not us. */
bool child_is_due(void);

#endif
