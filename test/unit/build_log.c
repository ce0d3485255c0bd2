/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds logs in memory for tests of the reading side. */
#include "test/unit/build_log.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void build_init(struct build *build, uint32_t clock, double tick_ns)
{
	struct log_header *header;

	memset(build, 0, sizeof(*build));
	build->bytes = aligned_alloc(LOG_AREA_ALIGN, BUILD_BYTES);
	memset(build->bytes, 0, BUILD_BYTES);
	build->tick_ns = clock == LOG_CLOCK_MONOTONIC ? 1 : tick_ns;
	build->tail = LOG_HEADER_BYTES;
	build->header = header = (struct log_header *)build->bytes;
	header->magic = LOG_MAGIC;
	header->version = LOG_VERSION;
	header->byte_order = LOG_BYTE_ORDER;
	header->header_bytes = LOG_HEADER_BYTES;
	header->kind = LOG_OF_PROGRAM;
	header->base_addr = BUILD_BASE_ADDR;
	header->map_bytes = 256u << 20;
	header->pid = 4242;
	header->ppid = 4200;
	header->process_start = 777;
	strcpy(header->boot_id, "11111111-2222-3333-4444-555555555555");
	strcpy(header->host, "node17");
	strcpy(header->program, "app");
	header->rank = -1;
	header->clock = clock;
	header->timing = LOG_TIMING_EXACT;
	header->heap_bytes = LOG_HEAP_USABLE;
	header->has_hooks = 1;
	header->page_bytes = LOG_AREA_ALIGN;
	header->start = build_clocks(build, BUILD_START_TICKS);
	header->start_again = build_clocks(build, BUILD_START_TICKS + 200000);
	header->tail_bytes = header->file_bytes = build->tail;
}

void build_release(struct build *build)
{
	free(build->bytes);
}

struct log_clocks build_clocks(const struct build *build, uint64_t ticks)
{
	uint64_t since = (uint64_t)((double)(ticks - BUILD_START_TICKS) * build->tick_ns);
	uint64_t start_ns = (uint64_t)((double)BUILD_START_TICKS * build->tick_ns);

	return (struct log_clocks){ ticks, start_ns + since, BUILD_REALTIME_NS + since };
}

void build_finish(struct build *build, uint64_t ticks, int status)
{
	build->header->end = LOG_EXITED;
	build->header->end_status = status;
	build->header->finish = build_clocks(build, ticks);
}

uint32_t build_ref(const struct build *build, const void *place)
{
	return (uint32_t)((uint64_t)((const uint8_t *)place - build->bytes) >> LOG_REF_SHIFT);
}

uint64_t build_addr(const struct build *build, const void *place)
{
	return BUILD_BASE_ADDR + (uint64_t)((const uint8_t *)place - build->bytes);
}

static void *place_at(const struct build *build, uint32_t ref)
{
	return build->bytes + ((uint64_t)ref << LOG_REF_SHIFT);
}

void *build_area(struct build *build, uint32_t kind, uint32_t owner, uint64_t bytes, uint64_t used_bytes)
{
	struct log_area *area = (struct log_area *)(build->bytes + build->tail);

	bytes = (bytes + LOG_AREA_ALIGN - 1) / LOG_AREA_ALIGN * LOG_AREA_ALIGN;
	assert(build->tail + bytes <= BUILD_BYTES);
	area->magic = LOG_AREA_MAGIC;
	area->self = build_ref(build, area);
	area->kind = kind;
	area->owner = owner;
	area->bytes = bytes;
	area->used_bytes = used_bytes;
	build->tail += bytes;
	build->header->tail_bytes = build->header->file_bytes = build->tail;
	return area;
}

struct log_thread *build_thread(struct build *build, const char *name)
{
	struct log_thread *thread = build_area(build, LOG_AREA_THREAD, 0, sizeof(*thread), sizeof(*thread));

	thread->root.min_ticks = UINT64_MAX;
	thread->tid = 4242 + build->header->nr_threads;
	thread->serial = build->header->nr_threads++;
	thread->nr_threads = 1;
	thread->begin_ticks = BUILD_START_TICKS;
	thread->current = build_ref(build, &thread->root);
	snprintf(thread->name, sizeof(thread->name), "%s", name);
	return thread;
}

void build_take_over(struct build *build, struct log_thread *thread, const char *name)
{
	if (thread->nr_threads == 1)
		memcpy(thread->earlier_name, thread->name, sizeof(thread->earlier_name) - 1);
	else if (strcmp(thread->earlier_name, thread->name) != 0)
		thread->earlier_name[0] = '\0';
	thread->nr_threads++;
	thread->tid = 4242 + build->header->nr_threads;
	thread->serial = build->header->nr_threads++;
	snprintf(thread->name, sizeof(thread->name), "%s", name);
}

struct log_node *build_node(struct build *build, struct log_thread *thread, struct log_node *parent,
			    uint64_t addr)
{
	struct log_area *area = place_at(build, thread->nodes);
	struct log_node *node;

	if (!thread->nodes || area->used_bytes + sizeof(*node) > area->bytes) {
		area = build_area(build, LOG_AREA_NODES, thread->head.self, LOG_AREA_ALIGN, sizeof(*area));
		thread->nodes = area->self;
	}
	node = (struct log_node *)((uint8_t *)area + area->used_bytes);
	area->used_bytes += sizeof(*node);
	node->function_addr = addr;
	node->parent = build_ref(build, parent);
	node->next = parent->child;
	parent->child = build_ref(build, node);
	node->min_ticks = UINT64_MAX;
	return node;
}

void build_call(struct log_node *node, uint64_t ticks, uint64_t child_ticks)
{
	unsigned __int128 squares = ((unsigned __int128)node->squares[1] << 64) + node->squares[0];
	int bucket = 0;

	while (bucket < LOG_BUCKETS - 1 && ticks >> (bucket + 1))
		bucket++;
	squares += (unsigned __int128)ticks * ticks;
	node->squares[0] = (uint64_t)squares;
	node->squares[1] = (uint64_t)(squares >> 64);
	node->calls++;
	node->total_ticks += ticks;
	node->child_ticks += child_ticks;
	node->min_ticks = ticks < node->min_ticks ? ticks : node->min_ticks;
	node->max_ticks = ticks > node->max_ticks ? ticks : node->max_ticks;
	node->histogram[bucket]++;
}

struct log_heap *build_heap(struct build *build, struct log_thread *thread, struct log_node *node)
{
	struct log_area *area = place_at(build, thread->heaps);
	struct log_heap *heap;

	if (!thread->heaps || area->used_bytes + sizeof(*heap) > area->bytes) {
		area = build_area(build, LOG_AREA_HEAPS, thread->head.self, LOG_AREA_ALIGN, sizeof(*area));
		thread->heaps = area->self;
	}
	heap = (struct log_heap *)((uint8_t *)area + area->used_bytes);
	area->used_bytes += sizeof(*heap);
	heap->node = build_ref(build, node);
	node->heap = build_ref(build, heap);
	return heap;
}

static struct log_frames *frames_area(struct build *build, struct log_thread *thread, uint64_t bytes)
{
	struct log_frames *area = build_area(build, LOG_AREA_FRAMES, thread->head.self, bytes, sizeof(*area));
	struct log_frame *sentinel = (struct log_frame *)(area + 1);

	sentinel->stack_addr = UINT64_MAX;
	sentinel->node = thread->current;
	thread->top_addr = build_addr(build, sentinel);
	thread->frames = area->head.self;
	return area;
}

struct log_frames *build_stack(struct build *build, struct log_thread *thread, uint32_t nr_frames)
{
	uint64_t bytes = sizeof(struct log_frames) + (1 + (uint64_t)nr_frames) * sizeof(struct log_frame);
	struct log_frames *stack = frames_area(build, thread, bytes);

	stack->stack = stack->head.self;
	stack->next_stack = build->header->stacks;
	build->header->stacks = stack->head.self;
	return stack;
}

struct log_frame *build_open_call(struct build *build, struct log_thread *thread, struct log_node *node,
				  uint64_t start_ticks)
{
	struct log_frames *area = place_at(build, thread->frames), *above;
	struct log_frame *frame;

	if (thread->top_addr + sizeof(*frame) >= build_addr(build, area) + area->head.bytes) {
		above = frames_area(build, thread, area->head.bytes);
		above->stack = area->stack;
		above->below = area->head.self;
		area->head.next = above->head.self;
	}
	thread->top_addr += sizeof(*frame);
	frame = (struct log_frame *)(build->bytes + (thread->top_addr - BUILD_BASE_ADDR));
	frame->function_addr = node->function_addr;
	frame->start_ticks = start_ticks;
	frame->node = thread->current = build_ref(build, node);
	return frame;
}

static uint8_t *put(uint8_t *at, uint64_t value)
{
	do {
		uint8_t low = value & 127;

		value >>= 7;
		*at++ = value ? low | 128 : low;
	} while (value);
	return at;
}

static uint8_t *put_signed(uint8_t *at, int64_t value)
{
	return put(at, value < 0 ? 2 * (uint64_t)-(value + 1) + 1 : 2 * (uint64_t)value);
}

static struct log_slices *chunk_for(struct build *build, struct log_thread *thread, uint32_t stream,
				    const struct build_slice *slice)
{
	struct log_slices *chunk = place_at(build, thread->slices[stream]), *last = chunk;

	if (thread->slices[stream] && chunk->head.used_bytes + LOG_SLICE_MAX_BYTES <= chunk->head.bytes)
		return chunk;
	chunk = build_area(build, LOG_AREA_SLICES, thread->head.self, LOG_AREA_ALIGN, sizeof(*chunk));
	chunk->first_ticks = chunk->last_ticks = slice->end_ticks;
	chunk->first_heap_bytes = chunk->last_heap_bytes = slice->heap_after;
	chunk->first_node = chunk->last_node = build_ref(build, slice->node);
	chunk->stream = stream;
	chunk->first_serial = chunk->last_serial = thread->serial;
	chunk->first_tid = thread->tid;
	if (thread->slices[stream])
		last->head.next = chunk->head.self;
	thread->slices[stream] = chunk->head.self;
	return chunk;
}

void build_slice(struct build *build, struct log_thread *thread, uint32_t stream,
		 const struct build_slice *slice)
{
	struct log_slices *chunk = chunk_for(build, thread, stream, slice);
	uint32_t shift = build->header->slice_shift, node = build_ref(build, slice->node);
	int heap = slice->thread_delta || slice->process_delta != slice->thread_delta ||
		   slice->heap_after != chunk->last_heap_bytes, other = thread->serial != chunk->last_serial;
	int memory = slice->pages[0] || slice->pages[2], more = heap || slice->broken || other || memory;
	int64_t step = ((int64_t)node - (int64_t)chunk->last_node) / (int64_t)LOG_NODE_STEP;
	uint8_t *at = (uint8_t *)chunk + chunk->head.used_bytes;

	at = put(at, (step < 0 ? 2 * (uint64_t)-(step + 1) + 1 : 2 * (uint64_t)step) << 1 | more);
	at = put(at, (slice->end_ticks >> shift) - (chunk->last_ticks >> shift));
	at = put(at, slice->ticks >> shift);
	if (more)
		*at++ = (uint8_t)((heap ? LOG_SLICE_HEAP : 0) | (slice->broken ? LOG_SLICE_BROKEN : 0) |
				  (other ? LOG_SLICE_THREAD : 0) | (memory ? LOG_SLICE_MEMORY : 0));
	if (heap) {
		at = put_signed(at, slice->thread_delta);
		at = put_signed(at, slice->process_delta - slice->thread_delta);
		at = put_signed(at, slice->heap_after - chunk->last_heap_bytes);
	}
	if (slice->broken)
		at = put(at, slice->reason);
	if (other)
		at = put(put(at, thread->serial), thread->tid);
	for (int i = 0; memory && i < 4; i += 2)
		at = put_signed(put(at, (uint64_t)slice->pages[i]), slice->pages[i + 1]);
	chunk->last_heap_bytes = slice->heap_after;
	chunk->last_node = node;
	chunk->last_ticks = slice->end_ticks;
	chunk->last_serial = thread->serial;
	chunk->nr_slices++;
	chunk->head.used_bytes = (uint64_t)(at - (uint8_t *)chunk);
}

struct log_rows *build_rows(struct build *build, const char *set, const char *const *columns,
			    uint32_t nr_columns, uint32_t nr_rows)
{
	uint64_t head = sizeof(struct log_rows) + nr_columns * sizeof(struct log_column);
	uint64_t row = (1 + (uint64_t)nr_columns) * sizeof(uint64_t);
	struct log_rows *rows = build_area(build, LOG_AREA_ROWS, 0, head + nr_rows * row, head);
	struct log_column *column = (struct log_column *)(rows + 1);

	snprintf(rows->set, sizeof(rows->set), "%s", set);
	rows->head.record_bytes = (uint32_t)row;
	rows->nr_columns = nr_columns;
	rows->step = 1;
	rows->interval_ns = 10000000;
	for (uint32_t i = 0; i < nr_columns; i++, column++) {
		snprintf(column->name, sizeof(column->name), "%s", columns[i]);
		column->unit = LOG_UNIT_BYTES;
		column->kind = LOG_GAUGE;
	}
	return rows;
}

void build_row(struct log_rows *rows, uint64_t ticks, const uint64_t *values)
{
	uint64_t *row = (uint64_t *)((uint8_t *)rows + rows->head.used_bytes);

	assert(rows->head.used_bytes + rows->head.record_bytes <= rows->head.bytes);
	row[0] = ticks;
	memcpy(row + 1, values, rows->nr_columns * sizeof(uint64_t));
	rows->head.used_bytes += rows->head.record_bytes;
}

void *build_record(struct build *build, uint64_t bytes, uint32_t kind, uint64_t ticks)
{
	struct log_area *area = place_at(build, build->header->records);
	struct log_record *record;

	bytes = (bytes + 7) / 8 * 8;
	if (!build->header->records) {
		area = build_area(build, LOG_AREA_RECORDS, 0, 64u << 10, sizeof(*area));
		build->header->records = area->self;
	}
	assert(area->used_bytes + bytes <= area->bytes);
	record = (struct log_record *)((uint8_t *)area + area->used_bytes);
	area->used_bytes += bytes;
	record->bytes = (uint32_t)bytes;
	record->kind = kind;
	record->ticks = ticks;
	return record;
}

struct log_module *build_module(struct build *build, const char *path, uint64_t begin, uint64_t end,
				uint64_t bias, uint8_t build_id)
{
	uint32_t path_bytes = (uint32_t)strlen(path) + 1;
	struct log_module *module = build_record(build, sizeof(*module) + path_bytes, LOG_RECORD_MODULE,
					       BUILD_START_TICKS);

	module->begin_addr = begin;
	module->end_addr = end;
	module->bias = bias;
	if (build_id) {
		memset(module->build_id, build_id, 20);
		module->build_id_bytes = 20;
	}
	module->file_bytes = 12345;
	module->path_bytes = path_bytes;
	memcpy(module + 1, path, path_bytes);
	return module;
}

void build_text(struct build *build, const char *text)
{
	uint32_t text_bytes = (uint32_t)strlen(text) + 1;
	struct log_text *record =
		build_record(build, sizeof(*record) + text_bytes, LOG_RECORD_TEXT, BUILD_START_TICKS);

	record->text_bytes = text_bytes;
	memcpy(record + 1, text, text_bytes);
}

struct log_event *build_event(struct build *build, uint32_t event, uint64_t ticks,
			      const uint64_t *values, int nr_values, const char *text)
{
	uint32_t text_bytes = text ? (uint32_t)strlen(text) + 1 : 0;
	struct log_event *record = build_record(build, sizeof(*record) + text_bytes, LOG_RECORD_EVENT, ticks);

	record->event = event;
	memcpy(record->values, values, (size_t)nr_values * sizeof(uint64_t));
	record->text_bytes = text_bytes;
	if (text)
		memcpy(record + 1, text, text_bytes);
	return record;
}

void build_write(const struct build *build, const char *path, uint64_t bytes)
{
	FILE *file = fopen(path, "w");

	assert(file);
	if (bytes == 0 || bytes > build->tail)
		bytes = build->tail;
	assert(fwrite(build->bytes, 1, bytes, file) == bytes);
	fclose(file);
}

void build_counter(struct build *build, const struct log_thread *thread, uint64_t function_addr,
		   uint64_t calls)
{
	struct log_counted *counted =
		build_record(build, sizeof(*counted), LOG_RECORD_COUNTED, BUILD_START_TICKS);
	struct log_site *site;
	struct log_area *area;
	const uint64_t bytes = sizeof(*area) + LOG_COUNTERS * sizeof(uint64_t);

	counted->function_addr = function_addr;
	site = build_record(build, sizeof(*site), LOG_RECORD_SITE, BUILD_START_TICKS);
	site->function_addr = function_addr;
	site->number = build->nr_sites;
	area = build_area(build, LOG_AREA_COUNTERS, thread->head.self, bytes, bytes);
	((uint64_t *)(area + 1))[build->nr_sites++] = calls;
}

void build_path_samples(struct build *build, const struct log_thread *thread, const struct log_node *node,
		   uint32_t nr, uint16_t flags)
{
	const size_t bytes = sizeof(struct log_area) + nr * sizeof(struct log_sample);
	struct log_area *area = build_area(build, LOG_AREA_SAMPLES, thread->head.self, bytes, bytes);
	struct log_sample *samples = (struct log_sample *)(area + 1);

	area->record_bytes = sizeof(*samples);
	for (uint32_t i = 0; i < nr; i++)
		samples[i] = (struct log_sample){ .ticks = BUILD_START_TICKS + 1000000,
						  .pc_addr = node->function_addr,
						  .node = build_ref(build, node),
						  .flags = flags };
}
