/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Threads, call paths and samples in the log of a process that does not record itself. They have the
 * library's form: callers by the place that they call from. One process writes them, so there are no locks.
 */
#pragma once

#include <stdbool.h>

#include "preload/common/log/log.h"
#include "preload/monitor/stacks/target_process.h"
#include "preload/monitor/stacks/unwinder.h"

struct path_entry {
	uint64_t function_addr; /* as in the node */
	uint32_t parent, node;
};

struct stack_log {
	struct log_header *log;
	int fd;			  /* of the log, to let it grow */
	struct path_entry *paths; /* by hash; node 0: free */
	size_t nr_places, nr_paths;
	uint32_t nr_objects; /* so far */
};

struct logged_thread {
	struct log_thread *record; /* NULL: there was no room */
	struct log_area *nodes, *samples;
	struct log_sample *last; /* NULL: none yet */
};

/* An area as from log_claim(), in a log that grows by its file @fd. NULL: there is no room. */
struct log_area *stack_log_claim(struct log_header *log, int fd, enum log_area_kind kind, uint32_t owner,
				 uint64_t bytes, uint32_t head_bytes, uint32_t record_bytes);

/* @rate: samples a second. */
void stack_log_init(struct stack_log *to, struct log_header *log, int fd, uint64_t rate);

/* A thread begins at @ticks. */
void stack_log_thread(struct stack_log *to, struct logged_thread *thread, pid_t pid, pid_t tid,
		      uint64_t ticks);
void stack_log_thread_end(struct stack_log *to, struct logged_thread *thread);

/* A target_change, with a struct stack_log. */
void stack_log_object(struct target_object *object, bool is_gone, void *to);

/* The path of @stack in @thread. Return: a ref; 0: there is no room. */
uint32_t stack_log_path(struct stack_log *to, struct logged_thread *thread, const struct stack *stack);

/* The flags of what a thread does: a state, and the number of the system call that it waits in. */
static inline uint16_t sample_flags(enum log_sample_state state, int call)
{
	return (uint16_t)((uint32_t)state << LOG_SAMPLE_STATE_SHIFT |
			  (call >= 0 && call < LOG_SAMPLE_CALL_MOST ? (uint32_t)call + 1 : 0)
				  << LOG_SAMPLE_CALL_SHIFT);
}

/* The thread was there for @nr intervals. @node: 0: not known. */
void stack_log_sample(struct stack_log *to, struct logged_thread *thread, uint32_t node, uint64_t pc_addr,
		      uint16_t flags, uint32_t nr);

/* It still is where it was at its last sample. */
void stack_log_same(struct stack_log *to, struct logged_thread *thread, uint32_t nr);
