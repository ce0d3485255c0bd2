/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waits of library calls for locks and files, and the paths that held the locks; summed up over threads. */
#pragma once

#include "analyzer/model/model.h"

/* Equal waits: on one object, in calls of one path and place, of a lock that one path held when they began.
 */
struct wait_sum {
	struct function *function; /* the library call; NULL: of samples */
	const char *call;	   /* its name, or that of a system call */
	struct tree_node *path;	   /* of the library call; NULL: of samples, or of other threads' files */
	struct tree_node *caller;  /* NULL: not known, as in processes without hooks */
	const char *object; /* "table_lock", "0x7f12", "/tmp/a.txt", "socket"; NULL: none, or not known */
	const char *object_place; /* where a lock was initialised: "a.c:12"; NULL: not known */
	struct tree_node *holder;	    /* NULL: not known */
	const struct process *process;	    /* NULL: several, or not known */
	const struct thread *holder_thread; /* of the longest wait; NULL: not known */
	char *caller_name; /* without @caller: the function that called, by its symbol; NULL: not known */
	char *place;	   /* where the program called: "a.c:12", "a.out+0x1234"; NULL: not known */
	uint64_t calls;	   /* that ended, and those that were open at the end: */
	uint64_t open_calls;
	uint64_t bytes; /* read or written */
	uint64_t samples; /* > 0: total_ns is by so many looks at blocked threads; calls are not known */
	double total_ns;
	double max_ns;
	double blocked_ns;	/* without @path; else for a view. NAN: not known */
};

struct wait_sums {
	struct wait_sum *sums; /* longest first */
	size_t nr;
	double total_ns;
	/* By looks at blocked threads: how long they were, and of that in a call that is known */
	double blocked_ns, named_ns;
	uint64_t nr_looks;
	char **texts; /* what names are in */
	size_t nr_texts;
};

/* Read the waits of all reported processes. The caller frees the arrays, the names and the texts. */
void waits_read(struct model *model, struct wait_sums *waits);

/* "lock", "sleep", ... as in csv; NULL: of no kind that is known. */
const char *waits_kind(enum log_wait_kind kind);
