/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "preload/monitor/stacks/stack_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "preload/common/base/clock.h"
#include "preload/common/base/text.h"
#include "preload/common/run/process_id.h"

#define THREAD_BYTES 8192u
#define FIRST_NODES 4096u
#define LAST_NODES (256u << 10)
#define FIRST_SAMPLES 4096u
#define LATER_SAMPLES (64u << 10)
#define FIRST_PATHS 4096u

struct log_area *stack_log_claim(struct log_header *log, int fd, enum log_area_kind kind, uint32_t owner,
				 uint64_t bytes, uint32_t head_bytes, uint32_t record_bytes)
{
	struct log_area *area = log_claim(log, kind, owner, bytes, head_bytes, record_bytes);

	if (!area &&
	    log_grow(log, fd,
		     __atomic_load_n(&log->tail_bytes, __ATOMIC_ACQUIRE) + bytes + LOG_AREA_ALIGN) == 0)
		area = log_claim(log, kind, owner, bytes, head_bytes, record_bytes);
	return area;
}

static struct log_area *claim(struct stack_log *to, enum log_area_kind kind, uint32_t owner, uint64_t bytes,
			      uint32_t head_bytes, uint32_t record_bytes)
{
	return stack_log_claim(to->log, to->fd, kind, owner, bytes, head_bytes, record_bytes);
}

static uint64_t now_of(const struct stack_log *to)
{
	return clock_ticks(to->log->clock);
}

void stack_log_init(struct stack_log *to, struct log_header *log, int fd, uint64_t rate)
{
	*to = (struct stack_log){ .log = log, .fd = fd, .nr_places = FIRST_PATHS };
	to->paths = calloc(FIRST_PATHS, sizeof(*to->paths));
	if (!to->paths)
		abort();
	log->sample_interval_ns = (uint32_t)(1000000000u / rate);
	log->samples_are_of_time = 1;
}

/* ---- threads ---- */

static void read_name(struct log_thread *record, pid_t pid, pid_t tid)
{
	char path[64];
	long nr;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", (int)pid, (int)tid);
	nr = read_file(path, record->name, sizeof(record->name));
	if (nr > 0 && record->name[nr - 1] == '\n')
		record->name[nr - 1] = '\0';
}

void stack_log_thread(struct stack_log *to, struct logged_thread *thread, pid_t pid, pid_t tid,
		      uint64_t ticks)
{
	struct log_header *log = to->log;
	struct log_thread *record;

	*thread = (struct logged_thread){ .record = NULL };
	record = (struct log_thread *)claim(to, LOG_AREA_THREAD, 0, THREAD_BYTES, LOG_FIRST_NODES_AT, 0);
	if (!record) {
		log_lose(log, LOG_LOST_SAMPLED_THREADS);
		return;
	}
	record->root.min_ticks = UINT64_MAX;
	record->current = log_ref(log, &record->root);
	record->tid = (uint32_t)tid;
	record->serial = log->nr_threads;
	record->nr_threads = record->claim = 1;
	record->begin_ticks = ticks;
	read_name(record, pid, tid);
	record->next_thread = log->threads;
	__atomic_store_n(&log->nr_threads, log->nr_threads + 1, __ATOMIC_RELAXED);
	__atomic_store_n(&log->nr_thread_areas, log->nr_thread_areas + 1, __ATOMIC_RELAXED);
	__atomic_store_n(&log->threads, record->head.self, __ATOMIC_RELEASE);
	thread->record = record;
	thread->nodes = &record->head;
}

void stack_log_thread_end(struct stack_log *to, struct logged_thread *thread)
{
	if (thread->record)
		__atomic_store_n(&thread->record->end_ticks, now_of(to), __ATOMIC_RELAXED);
}

/* ---- objects ---- */

/* The file's path for this process: the other process may have a root of its own. */
static void describe_file(struct log_module *record, const struct target_object *object)
{
	struct stat stat_of;

	if (object->path[0] != '/' || stat(object->path, &stat_of) < 0 || stat_of.st_ino != object->inode)
		return;
	record->file_bytes = (uint64_t)stat_of.st_size;
	record->file_mtime_ns =
		(uint64_t)stat_of.st_mtim.tv_sec * 1000000000u + (uint64_t)stat_of.st_mtim.tv_nsec;
}

static void write_object(struct stack_log *to, struct target_object *object)
{
	const uint32_t path_bytes = (uint32_t)strlen(object->path) + 1;
	struct log_module *record = (struct log_module *)log_new_record(
		to->log, (uint32_t)sizeof(*record) + path_bytes, now_of(to));

	object->record = record;
	object->number = to->nr_objects < LOG_FUNCTION_MODULE_MAX ? ++to->nr_objects : 0;
	if (!record)
		return;
	record->begin_addr = object->begin;
	record->end_addr = object->end;
	record->bias = object->bias;
	describe_file(record, object);
	record->build_id_bytes = object->build_id_bytes;
	memcpy(record->build_id, object->build_id, sizeof(record->build_id));
	record->number = object->number;
	record->path_bytes = path_bytes;
	memcpy(record + 1, object->path, path_bytes);
	log_publish(&record->record, LOG_RECORD_MODULE);
}

static void retire(struct stack_log *to, const struct target_object *object)
{
	const uint64_t flags = LOG_FUNCTION_RETIRED | (uint64_t)object->number << LOG_FUNCTION_MODULE_SHIFT;

	for (size_t i = 0; i < to->nr_places; i++) {
		struct path_entry *entry = &to->paths[i];
		struct log_node *node = log_at(to->log, entry->node);

		if (!entry->node || (entry->function_addr & ~LOG_FUNCTION_CODE) - object->begin >=
					    object->end - object->begin)
			continue;
		__atomic_fetch_or(&node->function_addr, flags, __ATOMIC_RELAXED);
		entry->function_addr |= flags; /* its place stays taken; no stack has such an address */
	}
}

void stack_log_object(struct target_object *object, bool is_gone, void *context)
{
	struct stack_log *to = context;

	if (!is_gone) {
		write_object(to, object);
		return;
	}
	if (object->record)
		__atomic_store_n(&object->record->gone_ticks, now_of(to), __ATOMIC_RELAXED);
	retire(to, object);
}

/* ---- paths ---- */

static struct path_entry *place_of(const struct stack_log *to, uint32_t parent, uint64_t function_addr)
{
	size_t at = (size_t)((function_addr ^ (uint64_t)parent << 40) * 0x9e3779b97f4a7c15u >> 32);

	for (;; at++) {
		struct path_entry *entry = &to->paths[at % to->nr_places];

		if (!entry->node || (entry->parent == parent && entry->function_addr == function_addr))
			return entry;
	}
}

static void make_room(struct stack_log *to)
{
	struct path_entry *old = to->paths;
	size_t nr = to->nr_places;

	if (to->nr_paths < nr / 2)
		return;
	to->nr_places = 2 * nr;
	to->paths = calloc(to->nr_places, sizeof(*old));
	if (!to->paths)
		abort();
	for (size_t i = 0; i < nr; i++)
		if (old[i].node)
			*place_of(to, old[i].parent, old[i].function_addr) = old[i];
	free(old);
}

static struct log_node *new_node(struct stack_log *to, struct logged_thread *thread)
{
	struct log_area *area = thread->nodes;
	struct log_node *node = (struct log_node *)((char *)area + area->used_bytes);

	if (area->used_bytes + sizeof(*node) > area->bytes) {
		uint64_t bytes = area->kind != LOG_AREA_NODES ? FIRST_NODES
				 : area->bytes < LAST_NODES   ? area->bytes * 2
							      : LAST_NODES;

		area = claim(to, LOG_AREA_NODES, thread->record->head.self, bytes, sizeof(*area),
			     sizeof(*node));
		if (!area)
			return NULL;
		thread->nodes = area;
		thread->record->nodes = area->self;
		node = (struct log_node *)(area + 1);
	}
	__atomic_store_n(&area->used_bytes, area->used_bytes + sizeof(*node), __ATOMIC_RELEASE);
	return node;
}

/* Return: its ref; 0: there is no room. */
static uint32_t find_path(struct stack_log *to, struct logged_thread *thread, uint32_t parent,
			  uint64_t function_addr, uint64_t begin_addr)
{
	struct path_entry *entry = place_of(to, parent, function_addr);
	struct log_node *above = log_at(to->log, parent), *node;

	if (entry->node)
		return entry->node;
	make_room(to);
	entry = place_of(to, parent, function_addr);
	node = new_node(to, thread);
	if (!node)
		return 0;
	*entry = (struct path_entry){ function_addr, parent, log_ref(to->log, node) };
	to->nr_paths++;
	node->function_addr = function_addr;
	node->begin_addr = begin_addr;
	node->min_ticks = UINT64_MAX;
	node->parent = parent;
	node->next = above->child;
	__atomic_store_n(&above->child, entry->node, __ATOMIC_RELEASE);
	return entry->node;
}

uint32_t stack_log_path(struct stack_log *to, struct logged_thread *thread, const struct stack *stack)
{
	uint32_t ref;

	if (!thread->record)
		return 0;
	ref = log_ref(to->log, &thread->record->root);
	if (stack->is_cut || !stack->nr)
		ref = find_path(to, thread, ref, LOG_FUNCTION_OTHERS, 0);
	for (uint32_t i = stack->nr; i-- > 0 && ref;) {
		const struct stack_frame *frame = &stack->frames[i];

		ref = find_path(to, thread, ref, i ? frame->code_addr | LOG_FUNCTION_CODE : frame->begin_addr,
				i ? frame->begin_addr : 0);
	}
	if (!ref)
		log_lose(to->log, LOG_LOST_PATHS);
	return ref;
}

/* ---- samples ---- */

static struct log_sample *new_sample(struct stack_log *to, struct logged_thread *thread)
{
	struct log_area *area = thread->samples;

	if (!area || area->used_bytes + sizeof(struct log_sample) > area->bytes) {
		area = claim(to, LOG_AREA_SAMPLES, thread->record->head.self,
			     area ? LATER_SAMPLES : FIRST_SAMPLES, sizeof(*area), sizeof(struct log_sample));
		if (!area)
			return NULL;
		if (thread->samples)
			thread->samples->next = area->self;
		thread->samples = area;
		thread->record->samples = area->self;
	}
	return (struct log_sample *)((char *)area + area->used_bytes);
}

void stack_log_sample(struct stack_log *to, struct logged_thread *thread, uint32_t node, uint64_t pc_addr,
		      uint16_t flags, uint32_t nr)
{
	struct log_sample *last = thread->last, *sample;

	if (last && last->node == node && last->pc_addr == pc_addr && last->flags == flags &&
	    last->missed + nr <= UINT16_MAX) {
		__atomic_store_n(&last->missed, (uint16_t)(last->missed + nr), __ATOMIC_RELAXED);
		return;
	}
	sample = thread->record && node ? new_sample(to, thread) : NULL;
	if (!sample) {
		log_lose(to->log, LOG_LOST_SAMPLES);
		return;
	}
	*sample = (struct log_sample){ now_of(to), pc_addr, node, flags,
				       (uint16_t)(nr - 1 < UINT16_MAX ? nr - 1 : UINT16_MAX) };
	__atomic_store_n(&thread->samples->used_bytes, thread->samples->used_bytes + sizeof(*sample),
			 __ATOMIC_RELEASE);
	thread->last = sample;
}

void stack_log_same(struct stack_log *to, struct logged_thread *thread, uint32_t nr)
{
	const struct log_sample *last = thread->last;

	if (last)
		stack_log_sample(to, thread, last->node, last->pc_addr, last->flags, nr);
}
