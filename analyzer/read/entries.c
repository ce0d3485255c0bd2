/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes processes from entries. Here a process gets its header, its one thread and its facts. heap_read.c and
 * open_calls.c read the entry again for the call tree.
 */
#include "analyzer/read/entries.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/hashtable.h"
#include "analyzer/log/logfile.h"
#include "analyzer/read/process.h"

#define RATE_NS		10000u

struct known_entry {
	uint64_t offset;
	struct process *process;	/* NULL: not sound, or not read yet */
};

struct entries {
	struct model *model;
	struct process *holder;
	struct known_entry *list;	/* by offset */
	size_t nr;
	struct hashtable logs;		/* processes with logs of their own, by pid and start */
};

/*
 * The rate of the clocks follows from begin and finish. An entry without a finish gets another reading, at
 * the rate of others.
 */
static void set_clocks(struct log_header *header, const struct log_entry *entry, double tick_ns)
{
	header->start = entry->begin;
	header->finish = entry->finish;
	memset(&header->start_again, 0, sizeof(header->start_again));
	if (header->finish.ticks)
		return;
	header->start_again.ticks = header->start.ticks + (uint64_t)(RATE_NS / tick_ns);
	header->start_again.monotonic_ns = header->start.monotonic_ns + RATE_NS;
	header->start_again.realtime_ns = header->start.realtime_ns + RATE_NS;
}

/*
 * The header that a log of the process would have. @header: that of its parent, or of the log that programs
 * share.
 */
static void set_header(struct log_header *header, const struct log_entry *entry)
{
	header->kind = LOG_OF_PROGRAM;
	header->map_bytes = header->file_bytes = 0;
	header->pid = entry->pid;
	header->ppid = entry->ppid;
	header->process_start = entry->process_start;
	header->exec_count = 0;
	header->end = entry->end;
	header->end_status = entry->end_status;
	header->finish_user_ns = entry->user_ns;
	header->finish_system_ns = entry->system_ns;
	header->finish_peak_rss_bytes = entry->end == LOG_EXITED ? entry->peak_rss_bytes : 0;
	header->start_peak_rss_bytes = entry->start_peak_rss_bytes;
	header->start_cost_ns = entry->start_cost_ns;
	header->start_cpu_ns = 0;
	header->uid = entry->is_program ? entry->uid : header->uid;
	header->is_rank_child = header->rank >= 0;
	header->nr_threads = 1;
	header->heap_total_bytes = header->heap_before_bytes = entry->heap_before_bytes;
	header->heap_bytes = entry->has_heap ? entry->heap_bytes : header->heap_bytes;
	header->heap_peak_bytes = 0;
	header->heap_unknown_frees = header->heap_peak_number = header->heap_peak_ticks = 0;
	header->heap_peak_thread = header->heap_peak_node = 0;
	header->sampler_cpu_ns = header->sampler_rows = 0;
	memset((void *)header->losses, 0, sizeof(header->losses));
}

/* The entry of a program has the name of its first thread. A child has the name of the thread that forked. */
static void set_thread_name(struct thread *thread, const struct process *parent,
			    const struct log_entry *entry)
{
	const uint64_t offset = (uint64_t)entry->thread << LOG_REF_SHIFT;
	const struct log_extent *extent =
		parent && offset ? logfile_find(parent->log, offset, sizeof(struct log_thread)) : NULL;

	if (extent && extent->kind == LOG_AREA_THREAD && extent->offset == offset)
		memcpy(thread->name, parent->log->base + offset + offsetof(struct log_thread, name),
		       sizeof(thread->name) - 1);
}

/* process_read_threads() sets the thread's begin. */
static struct thread *add_thread(struct process *process, const struct log_entry *entry)
{
	struct thread *thread = xcalloc(1, sizeof(*thread));
	struct log_heap heap;

	*thread = (struct thread){ .process = process, .tid = entry->pid, .nr_threads = 1, .end = NO_TIME };
	if (logfile_entry_heap(process->entry_log, process->entry_offset, entry, &heap))
		thread->heap_bytes = thread->heap_held_bytes = (int64_t)(heap.alloc_bytes - heap.freed_bytes);
	APPEND(process->threads, process->nr_threads) = thread;
	return thread;
}

static char *text_of(const struct process *process, const struct log_entry *entry, enum log_entry_text which)
{
	return logfile_entry_text(process->entry_log, process->entry_offset, entry, which);
}

static void copy_text(char *to, size_t bytes, char *text)
{
	memset(to, 0, bytes);
	strncpy(to, text, bytes - 1);
	free(text);
}

static void add_fact(struct process *process, const char *key, char *value)
{
	char *text = xasprintf("%s=%s", key, value);

	text[strlen(key)] = '\0';
	APPEND(process->facts, process->nr_facts) = (struct text_fact){ text, text + strlen(key) + 1 };
	free(value);
}

static void set_texts(struct process *process, struct thread *thread, const struct log_entry *entry)
{
	copy_text(thread->name, sizeof(thread->name), text_of(process, entry, LOG_ENTRY_THREAD));
	add_fact(process, "command", text_of(process, entry, LOG_ENTRY_COMMAND));
	add_fact(process, "exe", text_of(process, entry, LOG_ENTRY_EXE));
	add_fact(process, "cwd", text_of(process, entry, LOG_ENTRY_CWD));
}

/* Do its times rise, and lie within those of its holder? */
static bool is_sound(const struct process *holder, const struct log_entry *entry)
{
	const struct log_clocks *begin = &entry->begin, *finish = &entry->finish;

	return entry->record.ticks == begin->ticks && begin->ticks >= holder->timebase.points[0].ticks &&
	       begin->ticks <= holder->now_ticks && begin->monotonic_ns &&
	       (entry->end == LOG_EXITED
			? finish->ticks > begin->ticks && finish->monotonic_ns > begin->monotonic_ns
			: entry->end == LOG_RUNNING || entry->end == LOG_TURNED_OFF);
}

/* @parent: NULL: the entry is a program's. */
static struct process *open_process(const struct entries *entries, struct process *parent,
				    struct log_entry *entry, uint64_t offset)
{
	const struct process *like = parent ? parent : entries->holder;
	struct logfile *log = entries->holder->log;
	struct model *model = entries->model;
	struct log_header header = like->header;
	struct process *process;
	struct thread *thread;

	if (entry->end == LOG_RUNNING)	/* killed while it wrote them */
		memset(&entry->finish, 0, sizeof(entry->finish));
	if (!is_sound(entries->holder, entry)) {
		logfile_damaged(log, offset, "an entry of no possible time");
		return NULL;
	}
	set_header(&header, entry);
	set_clocks(&header, entry, like->tick_ns);
	if (entry->is_program)
		copy_text(header.program, sizeof(header.program),
			  logfile_entry_text(log, offset, entry, LOG_ENTRY_PROGRAM));
	process = process_of_header(model, log->path, &header);
	if (!process)
		return NULL;
	process->run = entries->holder->run;
	process->parent = parent;
	process->entry_log = log;
	process->entry_offset = offset;
	thread = add_thread(process, entry);
	if (entry->is_program)
		set_texts(process, thread, entry);
	else
		set_thread_name(thread, parent, entry);
	APPEND(model->processes, model->nr_processes) = process;
	return process;
}

static bool is_own(const void *item, const void *key)
{
	const struct log_header *header = &((const struct process *)item)->header;
	const struct log_entry *entry = key;

	return header->pid == entry->pid && header->process_start == entry->process_start &&
	       header->start.monotonic_ns == entry->begin.monotonic_ns;
}

/*
 * The process whose own log begins where its entry does. has_log may be 0: the process was killed before it
 * could set it.
 */
static struct process *find_own(const struct entries *entries, const struct log_entry *entry)
{
	return hashtable_find(&entries->logs, hash_pair(entry->pid, entry->begin.monotonic_ns), is_own,
			      entry);
}

static struct process *read_program(const struct entries *entries, struct log_entry *entry, uint64_t offset)
{
	struct process *process = find_own(entries, entry);

	return process || entry->has_log ? process : open_process(entries, NULL, entry, offset);
}

static int by_offset(const void *a, const void *b)
{
	const struct known_entry *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static struct process *find_parent(const struct entries *entries, const struct log_entry *entry)
{
	const struct known_entry key = { .offset = (uint64_t)entry->program * 8 }, *found;

	if (entries->holder->header.kind == LOG_OF_PROGRAM)
		return entries->holder;
	found = bsearch(&key, entries->list, entries->nr, sizeof(key), by_offset);
	return found ? found->process : NULL;
}

/* Calls that were open at the fork are open, and so counted, in the child too. */
static void count_open(const struct entries *entries, const struct log_entry *entry)
{
	uint64_t *functions = NULL;
	int64_t nr = entry->node ? logfile_path(entries->holder->log, entry->node, &functions) : 0;

	entries->model->calls_open_at_forks += nr > 0 ? (uint64_t)nr : 0;
	free(functions);
}

static struct process *read_child(const struct entries *entries, struct log_entry *entry, uint64_t offset)
{
	struct process *parent = find_parent(entries, entry);

	if (!parent)
		logfile_damaged(entries->holder->log, offset, "a child of nobody");
	else
		count_open(entries, entry);
	return parent && !entry->has_log ? open_process(entries, parent, entry, offset) : NULL;
}

static void list_entries(struct entries *entries)
{
	struct logfile *log = entries->holder->log;
	struct record_cursor cursor;
	struct log_record head;
	uint64_t offset;

	for (size_t i = 0; i < log->nr_extents; i++) {
		if (log->extents[i].kind != LOG_AREA_RECORDS)
			continue;
		record_cursor_init(&cursor, &log->extents[i]);
		while (record_cursor_next(log, &cursor, &offset, &head)) {
			if (head.kind != LOG_RECORD_ENTRY)
				continue;
			APPEND(entries->list, entries->nr) = (struct known_entry){ .offset = offset };
		}
	}
}

/*
 * A child may lie before its parent: if two areas are made at the same time, either of them may be used
 * first.
 */
static void read_all(struct entries *entries, bool programs)
{
	for (size_t i = 0; i < entries->nr; i++) {
		struct known_entry *known = &entries->list[i];
		struct log_entry entry;

		if (known->process || !logfile_entry(entries->holder->log, known->offset, &entry) ||
		    entry.is_program != programs)
			continue;
		known->process = programs ? read_program(entries, &entry, known->offset) :
					    read_child(entries, &entry, known->offset);
	}
}

void entries_read(struct model *model, struct process *holder)
{
	struct entries entries = { .model = model, .holder = holder };

	list_entries(&entries);
	for (size_t i = 0; entries.nr && i < model->nr_processes && holder->header.kind == LOG_OF_PROGRAMS;
	     i++) {
		const struct log_header *header = &model->processes[i]->header;

		hashtable_add(&entries.logs, hash_pair(header->pid, header->start.monotonic_ns),
			      model->processes[i]);
	}
	read_all(&entries, true);
	read_all(&entries, false);
	hashtable_forget(&entries.logs);
	free(entries.list);
}
