/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decodes struct log_transfers. */
#include "analyzer/read/transfers_read.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/log/logfile.h"
#include "analyzer/read/nodes_read.h"
#include "insideme_varint.h"

#define TRANSFERS_MOST 8000000u /* that are in memory at once: 1 GB */

struct reader {
	struct process *process;
	struct thread *thread;
	const uint8_t *at, *end;
	uint64_t begin; /* these two: of the record before */
	uint32_t node;
	uint64_t limit;			    /* what began then is left out */
	const struct log_messages **routes; /* [number] */
	size_t nr_routes;
	struct transfer *list;
	size_t nr;
};

static bool take(struct reader *reader, uint64_t *value)
{
	return varint_get(&reader->at, reader->end, value);
}

static int64_t time_of(const struct reader *reader, uint64_t units)
{
	return process_time(reader->process, units << reader->process->log->header.slice_shift);
}

static void add(struct reader *reader, struct transfer *transfer, uint64_t detail)
{
	if (transfer->route->direction == LOG_MESSAGE_COLLECTIVE) {
		transfer->collective = (enum log_collective)(detail & 3);
		transfer->root = (int32_t)(detail >> 2);
	} else {
		transfer->tag = (int32_t)unzigzag(detail);
	}
	transfer->path =
		nodes_path(reader->thread,
			   transfer->flags & LOG_TRANSFER_REQUEST ? reader->node : transfer->route->node);
	transfer->thread = (uint32_t)reader->thread->index;
	APPEND(reader->list, reader->nr) = *transfer;
}

/* False: not sound; what follows cannot be read either. */
static bool read_one(struct reader *reader)
{
	uint64_t head, step, units, detail, since = 0, node = 0, started;
	struct transfer transfer = { 0 };

	if (!take(reader, &head) || !take(reader, &step) || !take(reader, &units) || !take(reader, &detail) ||
	    !take(reader, &transfer.sized_bytes))
		return false;
	if (head & LOG_TRANSFER_REQUEST && (!take(reader, &since) || !take(reader, &node)))
		return false;
	head = (transfer.flags = head & ((1u << LOG_TRANSFER_SHIFT) - 1), head >> LOG_TRANSFER_SHIFT);
	if (head >= reader->nr_routes || !reader->routes[head])
		return false;
	transfer.route = reader->routes[head];
	reader->begin += step;
	reader->node += (uint32_t)unzigzag(node) * LOG_NODE_STEP;
	started = reader->begin - since;
	if ((reader->begin + units) << reader->process->log->header.slice_shift >
		    reader->process->limit_ticks ||
	    since > reader->begin)
		return false;
	if (started >= reader->limit)
		return true;
	transfer.begin = time_of(reader, reader->begin);
	transfer.end = time_of(reader, reader->begin + units);
	transfer.started = time_of(reader, started);
	add(reader, &transfer, detail);
	return true;
}

static void read_area(struct reader *reader, const struct log_extent *extent)
{
	struct logfile *log = reader->process->log;
	struct log_transfers head;

	memcpy(&head, log->base + extent->offset, sizeof(head));
	reader->begin = head.first_ticks >> log->header.slice_shift;
	reader->node = head.first_node;
	reader->at = log->base + extent->offset + sizeof(head);
	reader->end = log->base + extent->offset + extent->used_bytes;
	while (reader->at < reader->end) {
		if (read_one(reader))
			continue;
		logfile_damaged(log, extent->offset, "a record of an MPI call");
		return;
	}
}

static void find_routes(struct reader *reader)
{
	const struct process *process = reader->process;

	for (size_t i = 0; i < process->nr_messages; i++)
		if (process->messages[i].number >= reader->nr_routes)
			reader->nr_routes = (size_t)process->messages[i].number + 1;
	if (reader->nr_routes > process->nr_messages + LOG_LABEL_MAX)
		reader->nr_routes = process->nr_messages + LOG_LABEL_MAX; /* a damaged number */
	reader->routes = xcalloc(reader->nr_routes + 1, sizeof(*reader->routes));
	for (size_t i = 0; i < process->nr_messages; i++)
		if (process->messages[i].number < reader->nr_routes)
			reader->routes[process->messages[i].number] = &process->messages[i];
}

struct tree_node *messages_path(const struct process *process, const struct log_messages *messages)
{
	struct thread *thread;

	if (process->is_saved)
		return process->message_paths[messages - process->messages];
	thread = nodes_thread(process, messages->thread);
	return thread && !thread->left_out ? nodes_path(thread, messages->node) : NULL;
}

uint64_t transfers_count(const struct process *process)
{
	uint64_t nr = process->nr_transfers;

	for (size_t i = 0; process->log && i < process->log->nr_extents; i++) {
		const struct log_extent *extent = &process->log->extents[i];
		struct log_transfers head;

		if (extent->kind != LOG_AREA_TRANSFERS)
			continue;
		memcpy(&head, process->log->base + extent->offset, sizeof(head));
		nr += head.nr_transfers;
	}
	return nr;
}

static uint64_t limit_of(const struct process *process, int64_t until)
{
	const uint64_t lost_ticks = process->header.transfers_end_ticks;
	uint64_t ticks = until == INT64_MAX ? UINT64_MAX : process_ticks(process, until);

	if (lost_ticks && lost_ticks < ticks)
		ticks = lost_ticks;
	return ticks >> process->log->header.slice_shift;
}

static size_t copy_saved(const struct process *process, int64_t until, struct transfer **list)
{
	size_t nr = 0;

	*list = process->nr_transfers ? xcalloc(process->nr_transfers, sizeof(**list)) : NULL;
	for (size_t i = 0; i < process->nr_transfers; i++)
		if (process->transfers[i].started < until)
			(*list)[nr++] = process->transfers[i];
	return nr;
}

int64_t transfers_until(const struct model *model)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < model->nr_processes; i++)
		nr += transfers_count(model->processes[i]);
	return nr <= TRANSFERS_MOST ? INT64_MAX
				    : (int64_t)((double)model->end * TRANSFERS_MOST / (double)nr);
}

size_t transfers_read(struct process *process, int64_t until, struct transfer **list)
{
	struct reader reader = { .process = process };

	*list = NULL;
	if (process->is_saved)
		return copy_saved(process, until, list);
	if (!process->nr_messages || !process->log)
		return 0;
	find_routes(&reader);
	reader.limit = limit_of(process, until);
	for (size_t i = 0; i < process->log->nr_extents; i++) {
		const struct log_extent *extent = &process->log->extents[i];

		reader.thread =
			extent->kind == LOG_AREA_TRANSFERS ? nodes_thread(process, extent->owner) : NULL;
		if (!reader.thread || reader.thread->left_out)
			continue;
		read_area(&reader, extent);
		logfile_forget(process->log, extent);
	}
	free(reader.routes);
	*list = reader.list;
	return reader.nr;
}
