/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The records of a log: each is copied, and its lengths are checked, before it is used. */
#include "analyzer/read/records_read.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/base/error.h"
#include "analyzer/base/utf8.h"
#include "analyzer/log/logfile.h"
#include "analyzer/model/functions.h"
#include "analyzer/read/errors_read.h"
#include "analyzer/read/marks_read.h"
#include "analyzer/read/nodes_read.h"

#define LABELS_MAX	(1u << 20)	/* more than a process can have */

/* A record in the file. */
struct place {
	struct process *process;
	uint64_t offset;
	struct log_record head;
};

/*
 * Copy the first @bytes of a record, which precede its text. The length of the text must fit. Return: false,
 * counted as damage, if the record is too short
 */
static bool copy_record(const struct place *place, void *copy, size_t bytes)
{
	struct logfile *log = place->process->log;

	if (place->head.bytes < bytes) {
		logfile_damaged(log, place->offset, "a record that is too short");
		return false;
	}
	memcpy(copy, log->base + place->offset, bytes);
	return true;
}

static char *copy_text(const struct place *place, size_t skip, uint32_t text_bytes)
{
	if (text_bytes > place->head.bytes - skip) {
		logfile_damaged(place->process->log, place->offset, "a text that is longer than its record");
		text_bytes = place->head.bytes - (uint32_t)skip;
	}
	return logfile_text(place->process->log, place->offset + skip, text_bytes);
}

/* insideme-run keeps files that the report could not open, beside the log. */
static void find_copy(struct object *object, const struct process *process)
{
	const char *slash = strrchr(process->log->path, '/');
	char *path = xasprintf("%.*sobject-", slash ? (int)(slash - process->log->path) + 1 : 0,
			       process->log->path);
	struct stat status;

	for (uint32_t i = 0; i < object->build_id_bytes; i++) {
		char *longer = xasprintf("%s%02x", path, object->build_id[i]);

		free(path);
		path = longer;
	}
	if (stat(path, &status) < 0) {
		free(path);
		return;
	}
	object->copy_path = path;
	object->file_bytes = object->file_bytes ?: (uint64_t)status.st_size;
}

static void read_module(const struct place *place)
{
	struct process *process = place->process;
	struct object object = { 0 };
	struct log_module record;
	struct module module;

	if (!copy_record(place, &record, sizeof(record)))
		return;
	if (record.begin_addr >= record.end_addr || record.build_id_bytes > sizeof(record.build_id)) {
		logfile_damaged(process->log, place->offset, "a module of no possible place");
		return;
	}
	object.path = copy_text(place, sizeof(record), record.path_bytes);
	object.build_id_bytes = record.build_id_bytes;
	memcpy(object.build_id, record.build_id, record.build_id_bytes);
	object.file_bytes = record.file_bytes;
	object.file_mtime_ns = record.file_mtime_ns;
	module = (struct module){
		.object = object_find(process->model, &object),
		.begin_addr = record.begin_addr,
		.end_addr = record.end_addr,
		.bias = record.bias,
		.from_ticks = record.record.ticks,
		.gone_ticks = record.gone_ticks,
		.number = record.number,
	};
	free(object.path);
	if (process->header.samples_are_of_time && object.build_id_bytes && !module.object->copy_path)
		find_copy(module.object, process);
	APPEND(process->modules, process->nr_modules) = module;
}

static void read_text(const struct place *place)
{
	struct process *process = place->process;
	struct log_text record;
	char *text, *equals;

	if (!copy_record(place, &record, sizeof(record)))
		return;
	text = copy_text(place, sizeof(record), record.text_bytes);
	equals = strchr(text, '=');
	if (!equals) {
		logfile_damaged(process->log, place->offset, "a fact without a value");
		free(text);
		return;
	}
	*equals = '\0';
	APPEND(process->facts, process->nr_facts) = (struct text_fact){ text, equals + 1 };
}

static void read_event(const struct place *place)
{
	struct process *process = place->process;
	struct log_event record;
	struct event *event;

	if (!copy_record(place, &record, sizeof(record)))
		return;
	event = &APPEND(process->events, process->nr_events);
	event->kind = record.event;
	event->process = process;
	event->thread = record.thread ? nodes_thread(process, record.thread) : NULL;
	event->ticks = record.record.ticks;
	event->time = process_time(process, record.record.ticks);
	event->node = NULL;
	memcpy(event->values, record.values, sizeof(event->values));
	event->text = record.text_bytes ? copy_text(place, sizeof(record), record.text_bytes) : NULL;
}

static void add_label(struct process *process, uint32_t number, char *text)
{
	for (; process->nr_labels <= number; process->nr_labels++) {
		process->labels = xgrow(process->labels, process->nr_labels, sizeof(*process->labels));
		process->labels[process->nr_labels] = NULL;
	}
	free(process->labels[number]);
	process->labels[number] = text;
}

static void read_label(const struct place *place)
{
	struct process *process = place->process;
	struct log_label record;
	char *text;

	if (!copy_record(place, &record, sizeof(record)))
		return;
	if (record.number >= LABELS_MAX || record.text_bytes > LOG_LABEL_MAX + 1) {
		logfile_damaged(process->log, place->offset, "a label of no possible number or length");
		return;
	}
	text = copy_text(place, sizeof(record), record.text_bytes);
	if (strlen(text) == LOG_LABEL_MAX)
		utf8_drop_cut(text);
	add_label(process, record.number, text);
}

/* Records lie at multiples of 8. */
static uint32_t place_number(const struct place *place)
{
	return (uint32_t)(place->offset / 8);
}

static void read_error(const struct place *place)
{
	struct process *process = place->process;
	struct log_error record;
	struct error *error;

	if (!copy_record(place, &record, sizeof(record)))
		return;
	error = &APPEND(process->errors, process->nr_errors);
	error->place = place_number(place);
	error->counts = record;
	error->type = copy_text(place, sizeof(record), record.text_bytes);
}

static void read_thrown(const struct place *place)
{
	struct process *process = place->process;
	struct log_thrown record;
	struct thrown *thrown;

	if (!copy_record(place, &record, sizeof(record)))
		return;
	if (record.caught_ticks &&
	    (record.caught_ticks < record.record.ticks || record.caught_ticks > process->limit_ticks)) {
		logfile_damaged(process->log, place->offset, "an exception caught at no possible time");
		record.caught_ticks = 0;
	}
	thrown = &APPEND(process->thrown, process->nr_thrown);
	thrown->place = place_number(place);
	thrown->error = record.error;
	thrown->tid = record.tid;
	thrown->ticks = record.record.ticks;
	thrown->time = process_time(process, record.record.ticks);
	thrown->caught = record.caught_ticks ? process_time(process, record.caught_ticks) : NO_TIME;
	thrown->message = record.text_bytes ? copy_text(place, sizeof(record), record.text_bytes) : NULL;
}

static void read_site(const struct place *place)
{
	struct process *process = place->process;
	struct log_site record;

	if (!copy_record(place, &record, sizeof(record)))
		return;
	APPEND(process->sites, process->nr_sites) = record;
}

static void read_counted(const struct place *place)
{
	struct process *process = place->process;
	struct log_counted record;

	if (!copy_record(place, &record, sizeof(record)))
		return;
	APPEND(process->counted, process->nr_counted) = record;
}

static void read_messages(const struct place *place)
{
	struct process *process = place->process;
	struct log_messages record = { .least_ticks = UINT64_MAX };

	/* in older logs it ends before these three, or before the last one */
	if (!copy_record(place, &record, offsetof(struct log_messages, least_ticks)))
		return;
	if (place->head.bytes >= offsetof(struct log_messages, caller_addr))
		copy_record(place, &record, place->head.bytes >= sizeof(record) ? sizeof(record) :
					    offsetof(struct log_messages, caller_addr));
	if (record.direction > LOG_MESSAGE_FILE || record.nr_sized > record.nr_messages ||
	    record.peer < LOG_PEER_ANY) {
		logfile_damaged(process->log, place->offset, "messages of no possible kind");
		return;
	}
	APPEND(process->messages, process->nr_messages) = record;
}

static void read_disk(const struct place *place)
{
	struct process *process = place->process;
	struct log_disk record;

	if (!copy_record(place, &record, sizeof(record)))
		return;
	APPEND(process->disks, process->nr_disks) = (struct disk){
		.device = record.device,
		.first_free_bytes = record.first_free_bytes,
		.least_free_bytes = record.least_free_bytes,
		.folder = copy_text(place, sizeof(record), record.path_bytes),
	};
}

static void read_record(const struct place *place)
{
	struct process *process = place->process;

	/* a child that outlives the process writes its own entry; entries.c checks its time */
	if (place->head.kind != LOG_RECORD_TEXT && place->head.kind != LOG_RECORD_ENTRY &&
	    (place->head.ticks < process->timebase.points[0].ticks ||
	     place->head.ticks > process->limit_ticks)) {
		logfile_damaged(process->log, place->offset, "a record of no possible time");
		return;
	}
	switch (place->head.kind) {
	case LOG_RECORD_MODULE:
		read_module(place);
		break;
	case LOG_RECORD_TEXT:
		read_text(place);
		break;
	case LOG_RECORD_EVENT:
		read_event(place);
		break;
	case LOG_RECORD_LABEL:
		read_label(place);
		break;
	case LOG_RECORD_ERROR:
		read_error(place);
		break;
	case LOG_RECORD_THROWN:
		read_thrown(place);
		break;
	case LOG_RECORD_SITE:
		read_site(place);
		break;
	case LOG_RECORD_COUNTED:
		read_counted(place);
		break;
	case LOG_RECORD_MESSAGES:
		read_messages(place);
		break;
	case LOG_RECORD_DISK:
		read_disk(place);
		break;
	}
}

static int by_time(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	return x->ticks < y->ticks ? -1 : x->ticks > y->ticks;
}

void records_inherit_labels(struct process *process, const struct process *parent)
{
	for (size_t i = 0; i < parent->nr_labels; i++)
		if (parent->labels[i])
			add_label(process, (uint32_t)i, xstrdup(parent->labels[i]));
}

static int by_place(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;	/* both begin with their place */

	return (*x > *y) - (*x < *y);
}

void records_read(struct process *process)
{
	struct logfile *log = process->log;

	for (size_t i = 0; i < log->nr_extents; i++) {
		struct place place = { .process = process };
		struct record_cursor cursor;

		if (log->extents[i].kind != LOG_AREA_RECORDS)
			continue;
		record_cursor_init(&cursor, &log->extents[i]);
		while (record_cursor_next(log, &cursor, &place.offset, &place.head))
			read_record(&place);
	}
	if (process->nr_events)
		qsort(process->events, process->nr_events, sizeof(*process->events), by_time);
	if (process->nr_errors)
		qsort(process->errors, process->nr_errors, sizeof(*process->errors), by_place);
	if (process->nr_thrown)
		qsort(process->thrown, process->nr_thrown, sizeof(*process->thrown), by_place);
	marks_read(process);
	process->command = process_fact(process, "command") ?: "";
	process->exe = process_fact(process, "exe") ?: "";
	process->cwd = process_fact(process, "cwd") ?: "";
}

void records_find_paths(struct process *process)
{
	for (size_t i = 0; i < process->nr_events; i++) {
		struct event *event = &process->events[i];

		if (event->kind == LOG_EVENT_MEMORY_PATH && event->thread && event->values[0] <= UINT32_MAX)
			event->node = nodes_path(event->thread, (uint32_t)event->values[0]);
	}
}

void records_release(struct process *process)
{
	marks_release(process);
	for (size_t i = 0; i < process->nr_events; i++)
		free(process->events[i].text);
	for (size_t i = 0; i < process->nr_errors; i++)
		free(process->errors[i].type);
	for (size_t i = 0; i < process->nr_thrown; i++)
		free(process->thrown[i].message);
	free(process->sites);
	free(process->counted);
	free(process->messages);
	free(process->message_paths);
	free(process->transfers);
	free(process->counted_sums);
	free(process->thread_samples);
	free(process->errors);
	free(process->thrown);
	for (size_t i = 0; i < process->nr_disks; i++)
		free(process->disks[i].folder);
	free(process->disks);
	for (size_t i = 0; i < process->nr_facts; i++)
		free(process->facts[i].key);	/* its value is in the same memory */
	for (size_t i = 0; i < process->nr_labels; i++)
		free(process->labels[i]);
	free(process->labels);
	free(process->events);
	free(process->facts);
	free(process->modules);
}
