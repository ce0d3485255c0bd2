/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Logs by path, their threads by ref, the open calls of each by start. */
#include "analyzer/calls/callers.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/log/logfile.h"

static bool is_of_path(const void *item, const void *key)
{
	return strcmp(((const struct known_log *)item)->path, key) == 0;
}

static struct known_log *log_of(struct callers *callers, const char *path)
{
	uint64_t hash = hash_string(path);
	struct known_log *log = hashtable_find(&callers->by_path, hash, is_of_path, path);

	if (log)
		return log;
	log = xcalloc(1, sizeof(*log));
	log->path = xstrdup(path);
	log->last = NO_TIME;
	hashtable_add(&callers->by_path, hash, log);
	APPEND(callers->logs, callers->nr_logs) = log;
	return log;
}

/*
 * Threads are in the order of their refs. A thread may be missing in an earlier reading, because its record
 * was not complete yet.
 */
static struct caller *caller_of(struct known_log *log, size_t at, uint32_t ref)
{
	struct caller *caller;

	while (at < log->nr_callers && log->callers[at]->ref < ref)
		at++;
	if (at < log->nr_callers && log->callers[at]->ref == ref)
		return log->callers[at];
	caller = xcalloc(1, sizeof(*caller));
	caller->ref = ref;
	log->callers = xgrow(log->callers, log->nr_callers, sizeof(caller));
	memmove(&log->callers[at + 1], &log->callers[at], (log->nr_callers - at) * sizeof(caller));
	log->callers[at] = caller;
	log->nr_callers++;
	return caller;
}

void callers_begin(struct callers *callers, const struct model *model)
{
	free(callers->of);
	callers->of = xcalloc(model->nr_threads + 1, sizeof(struct caller *));
	for (size_t i = 0; i < callers->nr_logs; i++)
		for (size_t j = 0; j < callers->logs[i]->nr_callers; j++)
			callers->logs[i]->callers[j]->thread = NULL;
}

struct known_log *callers_of(struct callers *callers, struct process *process)
{
	struct known_log *log = log_of(callers, process->log->path);

	for (size_t i = 0; i < process->nr_threads; i++) {
		struct thread *thread = process->threads[i];
		struct caller *caller = caller_of(log, i, thread->ref);

		callers->of[thread_number(thread)] = caller;
		caller->thread = thread;
	}
	return log;
}

void callers_release(struct callers *callers)
{
	for (size_t i = 0; i < callers->nr_logs; i++) {
		struct known_log *log = callers->logs[i];

		for (size_t j = 0; j < log->nr_callers; j++) {
			free(log->callers[j]->begun);
			free(log->callers[j]->entered);
			free(log->callers[j]->within);
			free(log->callers[j]);
		}
		free(log->callers);
		free(log->path);
	}
	free(callers->logs);
	free(callers->of);
	hashtable_release(&callers->by_path);
}

/* The start of a call in units of slices. */
static uint64_t caller_units(const struct caller *caller, uint64_t ticks)
{
	return ticks >> caller->thread->process->header.slice_shift;
}

/* The start in a slice may be one unit later than that in the frame. */
static bool is_start(const struct caller *caller, uint64_t known, uint64_t start)
{
	return start == known || (caller->thread->process->header.slice_shift && start - known == 1);
}

struct begun_call *caller_find_begun(const struct caller *caller, uint64_t start_ticks, uint32_t ref)
{
	uint64_t start = caller_units(caller, start_ticks);
	size_t low = caller->nr_begun;

	/* common: a call that is shorter than a reading */
	if (!low || caller->begun[low - 1].start + 1 < start)
		return NULL;
	/* the first that begins at most one unit before it */
	low = PARTITION_POINT(i, caller->nr_begun, caller->begun[i].start + 1 < start);
	for (; low < caller->nr_begun && caller->begun[low].start <= start; low++)
		if (caller->begun[low].ref == ref && is_start(caller, caller->begun[low].start, start))
			return &caller->begun[low];
	return NULL;
}

void caller_add_begun(struct caller *caller, uint64_t start_ticks, uint32_t ref)
{
	uint64_t start = caller_units(caller, start_ticks);
	size_t at = caller->nr_begun;

	caller->begun = xgrow(caller->begun, caller->nr_begun, sizeof(*caller->begun));
	for (; at && caller->begun[at - 1].start > start; at--)
		caller->begun[at] = caller->begun[at - 1];
	caller->begun[at] = (struct begun_call){ .start = start, .ref = ref };
	caller->nr_begun++;
}

void caller_remove_begun(struct caller *caller, struct begun_call *call)
{
	size_t behind = caller->nr_begun - (size_t)(call - caller->begun) - 1;

	memmove(call, call + 1, behind * sizeof(*call));
	caller->nr_begun--;
}

void caller_add_entered(struct caller *caller, const struct entered_call *call)
{
	APPEND(caller->entered, caller->nr_entered) = *call;
}

static int by_start(const void *a, const void *b)
{
	const struct entered_call *x = a, *y = b;

	if (x->start_ticks != y->start_ticks)
		return x->start_ticks < y->start_ticks ? -1 : 1;
	return (x->depth > y->depth) - (x->depth < y->depth);
}

void caller_sort_entered(struct caller *caller)
{
	if (caller->nr_entered)
		qsort(caller->entered, caller->nr_entered, sizeof(*caller->entered), by_start);
	caller->nr_sorted = caller->nr_entered;
}

struct entered_call *caller_find_entered(const struct caller *caller, uint64_t start_ticks, uint32_t ref)
{
	uint64_t start = caller_units(caller, start_ticks);
	const size_t first = caller->next_entered;

	/* from the first that begins at most one unit before it */
	for (size_t at = first + PARTITION_POINT(i, caller->nr_sorted - first,
			caller_units(caller, caller->entered[first + i].start_ticks) + 1 < start);
	     at < caller->nr_sorted; at++) {
		struct entered_call *call = &caller->entered[at];
		uint64_t known = caller_units(caller, call->start_ticks);

		if (known > start)
			break;
		if (call->ref == ref && is_start(caller, known, start))
			return call;
	}
	return NULL;
}
