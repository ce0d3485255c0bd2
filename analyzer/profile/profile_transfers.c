/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times are since the process's begin, which a saved process has too. */
#include "analyzer/profile/profile_transfers.h"

#include <stdlib.h>

#include "analyzer/base/error.h"
#include "analyzer/profile/profile_rows.h"
#include "analyzer/read/transfers_read.h"

#define TRANSFERS_BEGIN "\"transfers\":[\n"

struct saved_transfer {
	uint64_t begin_ns, duration_ns;
	uint64_t since_ns; /* how long before begin_ns it was started */
	uint64_t sized_bytes;
	uint32_t flags, thread, tag, root, collective;
};

#define TRANSFER(member, type) { #member, type, offsetof(struct saved_transfer, member), 0 }
static const struct field transfer_fields[] = {
	TRANSFER(begin_ns, FIELD_U64),	  TRANSFER(duration_ns, FIELD_U64), TRANSFER(flags, FIELD_U32),
	TRANSFER(tag, FIELD_U32),	  TRANSFER(sized_bytes, FIELD_U64), TRANSFER(since_ns, FIELD_U64),
	TRANSFER(collective, FIELD_U32),  TRANSFER(root, FIELD_U32),	    TRANSFER(thread, FIELD_U32),
	{ NULL, 0, 0, 0 },
};

/* ---- writing ---- */

static uint64_t span_ns(int64_t from, int64_t to)
{
	return to > from ? (uint64_t)(to - from) : 0;
}

static struct saved_transfer saved_of(const struct process *process, const struct transfer *transfer)
{
	return (struct saved_transfer){ .begin_ns = span_ns(process->start, transfer->begin),
					.duration_ns = span_ns(transfer->begin, transfer->end),
					.since_ns = span_ns(transfer->started, transfer->begin),
					.sized_bytes = transfer->sized_bytes,
					.flags = transfer->flags,
					.thread = transfer->thread,
					.tag = (uint32_t)transfer->tag,
					.root = (uint32_t)transfer->root,
					.collective = transfer->collective };
}

/* [message]: its place among those of the process that the profile has; -1: it has not. To be freed. */
static int64_t *places_of_routes(const struct process *process)
{
	int64_t *places = xcalloc(process->nr_messages + 1, sizeof(*places)), nr = 0;

	for (size_t i = 0; i < process->nr_messages; i++)
		places[i] = profile_has_messages(process, &process->messages[i]) ? nr++ : -1;
	return places;
}

static size_t write_process(const struct profile_places *places, struct process *process, int64_t until,
			    struct row_text *line, size_t nr_written)
{
	struct transfer *transfers;
	const size_t nr = transfers_read(process, until, &transfers);
	int64_t *routes = places_of_routes(process);

	for (size_t i = 0; i < nr; i++) {
		const struct saved_transfer saved = saved_of(process, &transfers[i]);
		const struct tree_node *path = transfers[i].path;
		const int64_t route = routes[transfers[i].route - process->messages];

		if (route < 0)
			continue;
		if (nr_written++) {
			row_add_char(line, ',');
			row_end(line, places->file);
		}
		sum_row_print(line, (int64_t[]){ (int64_t)process->number - 1, route,
						 path ? places->paths[path->id] : -1 },
			      3, transfer_fields, &saved);
	}
	free(routes);
	free(transfers);
	return nr_written;
}

void profile_transfers_write(const struct profile_places *places)
{
	const int64_t until = transfers_until(places->model);
	struct row_text line = { 0 };
	size_t nr = 0;

	fputs(",\n" TRANSFERS_BEGIN, places->file);
	for (size_t i = 0; i < places->model->nr_processes; i++)
		nr = write_process(places, places->model->processes[i], until, &line, nr);
	if (nr)
		row_end(&line, places->file);
	fputs("]", places->file);
	row_text_release(&line);
}

/* ---- reading ---- */

static bool is_sound(const struct saved_transfer *saved)
{
	return saved->begin_ns < (uint64_t)NS_MAX && saved->duration_ns < (uint64_t)NS_MAX &&
	       saved->since_ns < (uint64_t)NS_MAX && saved->collective <= LOG_NOBODY_WAITS;
}

static bool read_row(const struct profile *profile, const char *row)
{
	struct saved_transfer saved = { 0 };
	struct process *process;
	struct transfer *transfer;
	int64_t places[3];

	if (!sum_row_parse(row, places, 3, transfer_fields, &saved) || !is_sound(&saved) || places[0] < 0 ||
	    (size_t)places[0] >= profile->nr_processes || places[2] < -1 ||
	    places[2] >= (int64_t)profile->nr_rows)
		return false;
	process = profile->added[places[0]];
	if (places[1] < 0 || (size_t)places[1] >= process->nr_messages)
		return false;
	transfer = &APPEND(process->transfers, process->nr_transfers);
	*transfer = (struct transfer){ .route = &process->messages[places[1]],
				       .path = places[2] < 0 ? NULL : profile->nodes[places[2]],
				       .begin = process->start + (int64_t)saved.begin_ns,
				       .flags = saved.flags,
				       .thread = saved.thread,
				       .tag = (int32_t)saved.tag,
				       .root = (int32_t)saved.root,
				       .collective = (enum log_collective)saved.collective,
				       .sized_bytes = saved.sized_bytes };
	transfer->end = transfer->begin + (int64_t)saved.duration_ns;
	transfer->started = transfer->begin - (int64_t)saved.since_ns;
	return true;
}

int profile_transfers_read(struct profile *profile)
{
	const char *row;
	int status;

	if (profile_next_list(profile, TRANSFERS_BEGIN) < 0)
		return -1;
	while ((status = profile_next_row(profile, &row)) > 0)
		if (!read_row(profile, row))
			return profile_bad_row(profile);
	return status;
}
