/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs that ended before they had a log. Each becomes a log in memory: a header, a thread, its heap use, its facts. */
#include "analyzer/read/program_entries.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/hashtable.h"
#include "analyzer/log/logfile.h"
#include "analyzer/read/child_entries.h"
#include "analyzer/read/made_log.h"
#include "analyzer/read/process.h"

#define HEAPS_AT	IMAGE_AFTER_THREAD
#define RECORDS_AT	(HEAPS_AT + IMAGE_HEAPS_BYTES)

/* An entry, and whose it is. */
struct brief {
	uint32_t place;			/* as log_child.program */
	struct process *process;	/* NULL: of an entry that is not sound */
};

struct briefs {
	struct brief *list;		/* in the order of their places, as they are found */
	size_t nr;
	struct hashtable logs;		/* processes that have been found before, by pid and begin */
};

static void set_thread(uint8_t *image, const struct log_program *entry)
{
	struct log_thread thread = { .tid = entry->child.pid, .nr_threads = 1, .begin_ticks = entry->child.record.ticks };

	image_set_area(image, IMAGE_THREAD_AT, LOG_AREA_THREAD, HEAPS_AT - IMAGE_THREAD_AT, sizeof(thread));
	memcpy(&thread.head, image + IMAGE_THREAD_AT, sizeof(thread.head));
	memcpy(thread.name, entry->name, sizeof(entry->name) - 1);
	thread.root.min_ticks = UINT64_MAX;
	thread.current = (uint32_t)((IMAGE_THREAD_AT + offsetof(struct log_thread, root)) >> LOG_REF_SHIFT);
	memcpy(image + IMAGE_THREAD_AT, &thread, sizeof(thread));
}

static uint64_t record_bytes(const char *key, uint32_t text_bytes)
{
	return (sizeof(struct log_text) + strlen(key) + 1 + text_bytes + 7) & ~7ull;
}

static uint64_t set_text(uint8_t *image, uint64_t at, uint64_t ticks, const char *key, const char *text)
{
	struct log_text record = { .record = { .kind = LOG_RECORD_TEXT, .ticks = ticks } };
	char *whole = xasprintf("%s=%s", key, text);

	record.text_bytes = (uint32_t)strlen(whole) + 1;
	record.record.bytes = (uint32_t)record_bytes(key, record.text_bytes - (uint32_t)strlen(key) - 1);
	memcpy(image + at, &record, sizeof(record));
	memcpy(image + at + sizeof(record), whole, record.text_bytes);
	free(whole);
	return at + record.record.bytes;
}

static void correct_header(uint8_t *image, const struct log_program *entry)
{
	struct log_header header;

	memcpy(&header, image, sizeof(header));
	memcpy(header.program, entry->program, sizeof(header.program) - 1);
	header.program[sizeof(header.program) - 1] = '\0';
	header.start_peak_rss_bytes = entry->start_peak_rss_bytes;
	header.start_cost_ns = entry->start_cost_ns;
	header.uid = entry->uid;
	memcpy(image, &header, sizeof(header));
}

static struct process *open_image(struct model *model, const struct process *shared, const struct log_program *entry,
				  uint64_t texts_at)
{
	static const char *const keys[] = { "command", "exe", "cwd" };
	const uint32_t text_bytes[] = { entry->command_bytes, entry->exe_bytes, entry->cwd_bytes };
	uint64_t used = sizeof(struct log_area), at = RECORDS_AT + sizeof(struct log_area), bytes;
	uint8_t *image;

	for (int i = 0; i < 3; i++)
		used += record_bytes(keys[i], text_bytes[i]);
	bytes = RECORDS_AT + image_pages(used);
	image = xcalloc(1, bytes);
	image_set_header(image, bytes, &shared->header, &entry->child, shared->tick_ns);
	correct_header(image, entry);
	set_thread(image, entry);
	image_set_heap(image, HEAPS_AT, &entry->heap);
	for (int i = 0; i < 3; i++) {
		char *text = logfile_text(shared->log, texts_at, text_bytes[i]);

		at = set_text(image, at, entry->child.record.ticks, keys[i], text);
		texts_at += text_bytes[i];
		free(text);
	}
	image_set_area(image, RECORDS_AT, LOG_AREA_RECORDS, bytes - RECORDS_AT, at - RECORDS_AT);
	return process_open_image(model, shared->log->path, image, bytes);
}

static bool is_own(const void *item, const void *key)
{
	const struct log_header *header = &((const struct process *)item)->header;
	const struct log_child *child = key;

	return header->pid == child->pid && header->process_start == child->process_start &&
	       header->start.monotonic_ns == child->begin.monotonic_ns;
}

/* That of the process that opened a log later: it begins where the entry does. */
static struct process *find_own(const struct briefs *briefs, const struct log_child *child)
{
	return hashtable_find(&briefs->logs, hash_pair(child->pid, child->begin.monotonic_ns), is_own, child);
}

static bool are_texts_sound(const struct log_program *entry, uint32_t bytes)
{
	return (uint64_t)entry->command_bytes + entry->exe_bytes + entry->cwd_bytes <= bytes - sizeof(*entry);
}

static struct process *read_program(struct model *model, const struct process *shared, const struct briefs *briefs,
				    uint64_t offset, const struct log_record *head)
{
	struct process *process;
	struct log_program entry;

	if (head->bytes < sizeof(entry)) {
		logfile_damaged(shared->log, offset, "a record that is too short");
		return NULL;
	}
	memcpy(&entry, shared->log->base + offset, sizeof(entry));
	process = find_own(briefs, &entry.child);	/* a kill may have come before has_log was set */
	if (process || entry.child.has_log)
		return process;
	if (entry.child.end == LOG_RUNNING)	/* killed in between */
		memset(&entry.child.finish, 0, sizeof(entry.child.finish));
	if (!image_is_sound(shared, &entry.child) || !are_texts_sound(&entry, head->bytes)) {
		logfile_damaged(shared->log, offset, "a program of no possible time");
		return NULL;
	}
	process = open_image(model, shared, &entry, offset + sizeof(entry));
	if (process) {
		process->run = shared->run;
		model->processes = xgrow(model->processes, model->nr_processes, sizeof(process));
		model->processes[model->nr_processes++] = process;
	}
	return process;
}

static int by_place(const void *a, const void *b)
{
	const struct brief *x = a, *y = b;

	return x->place < y->place ? -1 : x->place > y->place;
}

static struct process *find_parent(const struct briefs *briefs, uint32_t place)
{
	const struct brief key = { .place = place };
	const struct brief *found = briefs->nr ? bsearch(&key, briefs->list, briefs->nr, sizeof(key), by_place) : NULL;

	return found ? found->process : NULL;
}

/* Calls @each for all records of @kind. */
static void each_record(struct model *model, const struct process *shared, enum log_record_kind kind, struct briefs *briefs,
			void (*each)(struct model *, const struct process *, struct briefs *, uint64_t, const struct log_record *))
{
	struct logfile *log = shared->log;
	struct record_cursor cursor;
	struct log_record head;
	uint64_t offset;

	for (size_t i = 0; i < log->nr_extents; i++) {
		if (log->extents[i].kind != LOG_AREA_RECORDS)
			continue;
		record_cursor_init(&cursor, &log->extents[i]);
		while (record_cursor_next(log, &cursor, &offset, &head))
			if (head.kind == (uint32_t)kind)
				each(model, shared, briefs, offset, &head);
	}
}

static void take_program(struct model *model, const struct process *shared, struct briefs *briefs, uint64_t offset,
			 const struct log_record *head)
{
	struct process *process = read_program(model, shared, briefs, offset, head);

	briefs->list = xgrow(briefs->list, briefs->nr, sizeof(*briefs->list));
	briefs->list[briefs->nr++] = (struct brief){ (uint32_t)(offset / 8), process };
}

static void take_child(struct model *model, const struct process *shared, struct briefs *briefs, uint64_t offset,
		       const struct log_record *head)
{
	struct log_child child;
	struct process *parent, *process;

	if (head->bytes < sizeof(child)) {
		logfile_damaged(shared->log, offset, "a record that is too short");
		return;
	}
	memcpy(&child, shared->log->base + offset, sizeof(child));
	parent = find_parent(briefs, child.program);
	if (!parent || child.has_log) {
		if (!parent)
			logfile_damaged(shared->log, offset, "a child of nobody");
		return;
	}
	process = child_open(shared, parent, &child, offset);
	if (!process)
		return;
	model->processes = xgrow(model->processes, model->nr_processes, sizeof(process));
	model->processes[model->nr_processes++] = process;
}

void briefs_read(struct model *model, const struct process *shared)
{
	struct briefs briefs = { 0 };

	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct log_header *header = &model->processes[i]->header;

		hashtable_add(&briefs.logs, hash_pair(header->pid, header->start.monotonic_ns), model->processes[i]);
	}
	each_record(model, shared, LOG_RECORD_PROGRAM, &briefs, take_program);
	each_record(model, shared, LOG_RECORD_CHILD, &briefs, take_child);
	hashtable_forget(&briefs.logs);
	free(briefs.list);
}
