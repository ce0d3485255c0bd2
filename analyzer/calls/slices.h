/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Slices: the calls that lasted at least the threshold. They are read from the log one by one in the order of
 * their ends, merged over threads and processes. Memory does not grow with the log.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/model/model.h"

struct slice {
	struct thread *thread;		/* of the record: the last one that used it */
	uint32_t tid;			/* of the thread that made the call */
	const char *thread_name;	/* its name, "" if not known */
	struct tree_node *node;		/* merged call path; the function is node->function */
	uint32_t ref;			/* of the node in the log */
	uint64_t start_ticks;		/* of thread->process; rounded by header.slice_shift */
	uint64_t end_ticks;
	int64_t start;			/* model time */
	int64_t end;
	double duration_ns;
	int64_t heap_delta_bytes;	/* allocated less freed by the thread during the call */
	int64_t heap_before_bytes;	/* the process's heap as far as the thread knew */
	int64_t heap_after_bytes;
	bool broken;			/* it did not return: its end is when that was noticed */
	uint32_t reason;		/* for errors_find(), or enum log_broken */
	bool has_heap;			/* else its heap is not known */
	bool has_memory;		/* RSS and VMS of the process were read at its entry and exit: */
	int64_t rss_before_bytes, rss_after_bytes;
	int64_t vms_before_bytes, vms_after_bytes;
	double longer_ns; /* an untimed call lasted between duration_ns and duration_ns + longer_ns */
};

struct slice_reader;

/*
 * All slices of a process, of a thread, of the run. Read one process after the other where the order of
 * time does not matter: only one log is in memory then.
 */
struct slice_reader *slices_open_process(struct process *process);
struct slice_reader *slices_open_thread(struct thread *thread);
struct slice_reader *slices_open_all(struct model *model);
/*
 * Slices that the others leave out: library calls that wait, in a process without hooks. Their path is the
 * root. @thread: NULL: all
 */
struct slice_reader *slices_open_waits(struct process *process, const struct thread *thread);
/* Lets go of the logs that were read. */
void slices_close(struct slice_reader *reader);

/* Go to the first slice that ends at or after @time; may go back. */
void slices_seek(struct slice_reader *reader, int64_t time);

/* The next slice. Return: false at the end. Damage is counted in the process. */
bool slices_next(struct slice_reader *reader, struct slice *slice);
/* The slice that slices_next() would return. NULL: none. */
const struct slice *slices_peek(const struct slice_reader *reader);

/*
 * How far the slices of one writer were read. A later reading of the log, which has grown, continues there.
 */
struct slice_place {
	struct thread *thread;
	uint32_t stream;		/* see struct log_slices */
	uint32_t nr_read;		/* of the chunk */
	uint64_t chunk_offset;		/* 0: nothing was read */
};
void slices_each_place(const struct slice_reader *reader,
		       void (*visit)(const struct slice_place *place, void *context), void *context);
/*
 * Begin where @find says: it sets nr_read and chunk_offset. @is_live: the logs may be written while they are
 * read, so a slice that makes no sense yet is the end of what can be read now.
 */
void slices_go_on(struct slice_reader *reader, bool is_live,
		  void (*find)(struct slice_place *place, void *context), void *context);
