/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model has the open calls. The thread's record, if it is of the same call, says what that waits for. */
#include "analyzer/calls/mpi_open.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/hashtable.h"
#include "analyzer/log/logfile.h"

#define OUR_LIBRARY "libinsideme-mpi.so"

/* One communicator of one launch: its ranks that are in none of its collectives now. */
struct group {
	uint32_t run;
	const char *launch, *name;
	const struct process *latest; /* whose route was seen last */
	uint64_t nr_absent;
	int64_t lowest;
};

static bool is_group(const void *item, const void *key)
{
	const struct group *a = item, *b = key;

	return a->run == b->run && strcmp(a->launch, b->launch) == 0 && strcmp(a->name, b->name) == 0;
}

static const char *label_of(const struct process *process, uint32_t label)
{
	return label < process->nr_labels ? process->labels[label] : NULL;
}

static struct group *group_of(struct hashtable *groups, const struct process *process, const char *name)
{
	const struct group key = { .run = process->run, .launch = process->header.launch_id, .name = name,
				   .lowest = INT64_MAX };
	const uint64_t hash = hash_pair(hash_pair(hash_string(name), hash_string(key.launch)), key.run);
	struct group *found = hashtable_find(groups, hash, is_group, &key);

	if (!found) {
		found = xcalloc(1, sizeof(*found));
		*found = key;
		hashtable_add(groups, hash, found);
	}
	return found;
}

/* ---- open calls ---- */

static bool is_of_mpi(const struct function *function)
{
	const char *path = function && function->object ? function->object->path : "";
	const size_t length = strlen(path), own = strlen(OUR_LIBRARY);

	return length >= own && strcmp(path + length - own, OUR_LIBRARY) == 0;
}

static bool read_record(const struct thread *thread, struct log_thread *record)
{
	const struct process *process = thread->process;

	if (!process->log || process->entry_log || process->is_saved)
		return false;
	memcpy(record, process->log->base + ((uint64_t)thread->ref << LOG_REF_SHIFT),
	       offsetof(struct log_thread, cache));
	return true;
}

static void know_collective(struct mpi_open *open, uint32_t detail)
{
	const int64_t root = (int64_t)(detail >> 2);
	const bool is_root = root == open->process->header.rank;

	switch (detail & 3) {
	case LOG_ALL_WAIT_FOR_ALL:
		open->needs_all = true;
		break;
	case LOG_ROOT_WAITS_FOR_ALL:
		open->needs_all = is_root;
		break;
	case LOG_ALL_WAIT_FOR_ROOT:
		open->for_rank = is_root ? INT64_MIN : root;
		break;
	}
}

static void know_awaited(struct mpi_open *open, const struct log_thread *record)
{
	const uint32_t detail = record->awaited_detail;
	const int32_t tag = (int32_t)(detail >> 1) ^ -(int32_t)(detail & 1);

	open->direction = record->awaited_direction;
	open->communicator = label_of(open->process, record->awaited_label);
	if (open->direction == LOG_MESSAGE_COLLECTIVE) {
		know_collective(open, detail);
		return;
	}
	open->for_rank = record->awaited_peer >= 0 ? record->awaited_peer : INT64_MIN;
	open->tag = tag == LOG_TAG_ANY ? INT64_MIN : tag;
}

/* False: the stack has no open MPI call. */
static bool read_stack(const struct open_stack *stack, struct mpi_open *open)
{
	struct log_thread record = { 0 };

	if (stack->left || !read_record(stack->thread, &record))
		return false;
	for (size_t i = 0; i < stack->nr_calls; i++) {
		const struct open_call *call = &stack->calls[i];
		const bool is_awaited = call->start_ticks && call->start_ticks == record.awaited_ticks;

		if (!is_awaited && !is_of_mpi(call->node->function))
			continue;
		*open = (struct mpi_open){ .process = stack->thread->process,
					   .function = call->node->function,
					   .caller = i ? stack->calls[i - 1].node->function : NULL,
					   .so_far_ns = call->so_far_ns,
					   .for_rank = INT64_MIN,
					   .tag = INT64_MIN };
		if (is_awaited)
			know_awaited(open, &record);
		return true;
	}
	return false;
}

/* ---- absent ranks ---- */

static bool is_present(const struct mpi_open *first, size_t nr, const char *name)
{
	for (size_t i = 0; i < nr; i++)
		if (first[i].direction == LOG_MESSAGE_COLLECTIVE && first[i].communicator &&
		    strcmp(first[i].communicator, name) == 0)
			return true;
	return false;
}

static void add_absence(struct group *group, const struct process *process, const struct mpi_open *first,
			size_t nr)
{
	if (group->latest == process)
		return;
	group->latest = process;
	if (is_present(first, nr, group->name))
		return;
	group->nr_absent++;
	if (process->header.rank < group->lowest)
		group->lowest = process->header.rank;
}

/* @first: the process's open calls. Each process with MPI calls is in the world. */
static void add_absences(struct hashtable *groups, const struct process *process,
			 const struct mpi_open *first, size_t nr)
{
	for (size_t i = 0; i < process->nr_messages; i++) {
		const char *name = label_of(process, process->messages[i].label);

		if (name)
			add_absence(group_of(groups, process, name), process, first, nr);
	}
	if (process->nr_messages)
		add_absence(group_of(groups, process, "MPI_COMM_WORLD"), process, first, nr);
}

static void know_absent(struct hashtable *groups, struct mpi_open *open)
{
	const struct group *group;

	if (!open->needs_all || !open->communicator)
		return;
	group = group_of(groups, open->process, open->communicator);
	open->nr_absent = group->nr_absent;
	if (group->nr_absent)
		open->for_rank = group->lowest;
}

size_t mpi_open_read(const struct model *model, struct mpi_open **list)
{
	struct hashtable groups = { 0 };
	struct mpi_open open;
	size_t nr = 0;

	*list = NULL;
	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct process *process = model->processes[i];
		const size_t first = nr;

		for (size_t j = 0; j < process->nr_stacks; j++) {
			if (!read_stack(&process->stacks[j], &open))
				continue;
			*list = xgrow(*list, nr, sizeof(open));
			(*list)[nr++] = open;
		}
		add_absences(&groups, process, *list + first, nr - first);
	}
	for (size_t i = 0; i < nr; i++)
		know_absent(&groups, &(*list)[i]);
	hashtable_release(&groups);
	return nr;
}
