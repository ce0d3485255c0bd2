/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decodes slices. If a chunk stops making sense, its rest is skipped; the next one is sound again. */
#include "analyzer/calls/slice_stream.h"

#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/log/logfile.h"
#include "analyzer/read/nodes_read.h"
#include "insideme_varint.h"

static struct log_slices chunk_head(const struct slice_stream *stream, size_t chunk)
{
	const struct logfile *log = stream->thread->process->log;
	struct log_slices head;

	memcpy(&head, log->base + log->extents[stream->chunks[chunk]].offset, sizeof(head));
	return head;
}

/* A ring's writer may have come round, and be writing the chunk again. */
static bool is_written_again(const struct slice_stream *stream)
{
	struct log_slices head;

	if (!stream->is_live || !stream->thread->process->header.last_calls)
		return false;
	head = chunk_head(stream, stream->next_chunk - 1);
	return head.head.magic != LOG_AREA_MAGIC || head.first_ticks != stream->begin_ticks;
}

static void damaged(struct slice_stream *stream, const char *what)
{
	struct process *process = stream->thread->process;
	const struct log_extent *extent = &process->log->extents[stream->chunks[stream->next_chunk - 1]];

	logfile_damaged(process->log, extent->offset, what);
	process->nr_damaged = process->log->nr_damaged;
	stream->at = stream->end;
	stream->left = 0;
}

/* Begin with the next chunk. Return: false if there is none */
static bool next_chunk(struct slice_stream *stream)
{
	struct process *process = stream->thread->process;
	uint32_t shift = process->header.slice_shift;
	const struct log_extent *extent;
	struct log_slices head;
	uint64_t used_bytes;

	if (stream->next_chunk == stream->nr_chunks)
		return false;
	head = chunk_head(stream, stream->next_chunk);
	if (stream->is_live && (!head.nr_slices || head.stream != stream->number))
		return false;		/* the writer is just beginning it */
	extent = &process->log->extents[stream->chunks[stream->next_chunk++]];
	used_bytes = head.head.used_bytes;	/* read again: a chunk that others follow is full, which it
						 * may not have been before */
	if (used_bytes > extent->bytes)
		used_bytes = extent->bytes;
	stream->at = process->log->base + extent->offset + sizeof(head);
	stream->end = process->log->base + extent->offset + used_bytes;
	stream->begin_ticks = head.first_ticks;
	stream->ticks = head.first_ticks >> shift;
	stream->heap_bytes = head.first_heap_bytes;
	stream->node = head.first_node;
	stream->serial = head.first_serial;
	stream->tid = head.first_tid;
	stream->left = head.nr_slices;
	stream->nr_read = 0;
	return true;
}

/* At the end of a chunk: has it as many slices as it says? The last one may have been incomplete. */
static void check_chunk(struct slice_stream *stream)
{
	if (stream->thread->process->end_kind != END_RUNNING &&
	    (stream->left > 1 || stream->at != stream->end))
		damaged(stream, "another number of slices than it says");
}

static inline bool get_varint(struct slice_stream *stream, uint64_t *value)
{
	return varint_get(&stream->at, stream->end, value);
}

static inline int64_t add(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);	/* damage must not overflow */
}

static bool get_heap(struct slice_stream *stream)
{
	uint64_t thread_delta, others_delta, since_last;
	struct slice *slice = &stream->slice;
	int64_t change;

	if (!get_varint(stream, &thread_delta) || !get_varint(stream, &others_delta) ||
	    !get_varint(stream, &since_last))
		return false;
	slice->heap_delta_bytes = unzigzag(thread_delta);
	change = add(slice->heap_delta_bytes, unzigzag(others_delta));
	stream->heap_bytes = add(stream->heap_bytes, unzigzag(since_last));
	slice->heap_after_bytes = stream->heap_bytes;
	slice->heap_before_bytes = add(stream->heap_bytes, (int64_t)(0 - (uint64_t)change));
	return true;
}

static bool get_u32(struct slice_stream *stream, uint32_t *number)
{
	uint64_t value;

	if (!get_varint(stream, &value) || value > UINT32_MAX)
		return false;
	*number = (uint32_t)value;
	return true;
}

static bool get_bounds(struct slice_stream *stream)
{
	struct process *process = stream->thread->process;
	uint64_t longer;

	if (!get_varint(stream, &longer))
		return false;
	stream->slice.longer_ns = (double)(longer << process->header.slice_shift) * process->tick_ns;
	stream->slice.has_heap = false;
	return true;
}

/* The memory at the entry, and how it changed. */
static bool get_pages(struct slice_stream *stream, int64_t *before_bytes, int64_t *after_bytes)
{
	uint64_t page_bytes = stream->thread->process->header.page_bytes, before, change;

	if (!get_varint(stream, &before) || !get_varint(stream, &change))
		return false;
	*before_bytes = (int64_t)(before * page_bytes);
	*after_bytes = (int64_t)((before + (uint64_t)unzigzag(change)) * page_bytes);
	return true;
}

static bool get_memory(struct slice_stream *stream)
{
	struct slice *slice = &stream->slice;

	slice->has_memory = true;
	return get_pages(stream, &slice->rss_before_bytes, &slice->rss_after_bytes) &&
	       get_pages(stream, &slice->vms_before_bytes, &slice->vms_after_bytes);
}

static bool get_flags(struct slice_stream *stream)
{
	const uint8_t known =
		LOG_SLICE_HEAP | LOG_SLICE_BROKEN | LOG_SLICE_THREAD | LOG_SLICE_BOUNDS | LOG_SLICE_MEMORY;
	uint8_t flags;

	if (stream->at == stream->end)
		return false;
	flags = *stream->at++;
	stream->slice.broken = flags & LOG_SLICE_BROKEN;
	return !(flags & ~known) && (!(flags & LOG_SLICE_HEAP) || get_heap(stream)) &&
	       (!stream->slice.broken || get_u32(stream, &stream->slice.reason)) &&
	       (!(flags & LOG_SLICE_THREAD) ||
		(get_u32(stream, &stream->serial) && get_u32(stream, &stream->tid))) &&
	       (!(flags & LOG_SLICE_BOUNDS) || get_bounds(stream)) &&
	       (!(flags & LOG_SLICE_MEMORY) || get_memory(stream));
}

/* NULL: no path that a call can have. Code outside of all functions is no call. */
static struct tree_node *path_of(const struct slice_stream *stream, bool left_out)
{
	struct tree_node *path = nodes_path(stream->thread, stream->node);

	return path && (path->function || left_out) ? path : NULL;
}

static struct tree_node *find_path(struct slice_stream *stream)
{
	size_t entry = stream->node / LOG_NODE_STEP % SLICE_CACHE_ENTRIES;

	if (stream->cache[entry].ref != stream->node || !stream->cache[entry].path) {
		stream->cache[entry].ref = stream->node;
		stream->cache[entry].left_out = nodes_is_left_out(stream->thread->process, stream->node);
		stream->cache[entry].path = path_of(stream, stream->cache[entry].left_out);
	}
	stream->left_out = stream->cache[entry].left_out;
	return stream->cache[entry].path;
}

/* Decode one slice of the chunk. Return: false if it makes no sense. */
static bool decode(struct slice_stream *stream)
{
	struct process *process = stream->thread->process;
	uint32_t shift = process->header.slice_shift;
	struct slice *slice = &stream->slice;
	uint64_t step, since, duration;

	if (!get_varint(stream, &step) || !get_varint(stream, &since) || !get_varint(stream, &duration))
		return false;
	stream->node += (uint32_t)unzigzag(step >> 1) * LOG_NODE_STEP;
	stream->ticks += since;		/* modulo 2^64: a slice may end a little before the one before it */
	slice->heap_delta_bytes = 0;
	slice->heap_before_bytes = slice->heap_after_bytes = stream->heap_bytes;
	slice->broken = false;
	slice->reason = LOG_BROKEN_UNSEEN;
	slice->has_heap = process->header.heap_bytes != LOG_HEAP_OFF;
	slice->has_memory = false;
	slice->longer_ns = 0;
	if ((step & 1) && !get_flags(stream))
		return false;
	slice->tid = stream->tid;
	slice->thread_name =
		stream->serial == slice->thread->serial ? slice->thread->name : slice->thread->earlier_name;
	slice->ref = stream->node;
	slice->node = find_path(stream);
	if (!slice->node || stream->ticks < stream->first_ticks || stream->ticks > stream->limit_ticks ||
	    duration > stream->ticks - stream->first_ticks)
		return false;
	slice->end_ticks = stream->ticks << shift;
	slice->start_ticks = (stream->ticks - duration) << shift;
	slice->duration_ns = (double)(duration << shift) * process->tick_ns;
	slice->end = process_time(process, slice->end_ticks);
	slice->start = slice->end - (int64_t)slice->duration_ns;
	return true;
}

bool slice_stream_advance(struct slice_stream *stream)
{
	for (;;) {
		if (stream->left && stream->at < stream->end) {
			stream->left--;
			if (!decode(stream) || is_written_again(stream)) {
				if (stream->is_live)
					return false;
				damaged(stream, "a slice");
				continue;
			}
			stream->nr_read++;
			if (stream->left_out == stream->wants_left_out &&
			    !(stream->next_chunk == 1 && stream->nr_read <= stream->nr_older))
				return true;
		} else {
			if (stream->next_chunk)
				check_chunk(stream);
			if (!next_chunk(stream))
				return false;
		}
	}
}

/* The first chunk whose last slice ends at or after @time. */
static size_t find_chunk(const struct slice_stream *stream, int64_t time)
{
	return PARTITION_POINT(i, stream->nr_chunks,
		process_time(stream->thread->process, chunk_head(stream, i).last_ticks) < time);
}

bool slice_stream_seek(struct slice_stream *stream, int64_t time)
{
	stream->next_chunk = find_chunk(stream, time);
	if (!next_chunk(stream))
		return false;
	do
		if (!slice_stream_advance(stream))
			return false;
	while (stream->slice.end < time);
	return true;
}

static uint64_t chunk_offset(const struct slice_stream *stream, size_t chunk)
{
	return stream->thread->process->log->extents[stream->chunks[chunk]].offset;
}

struct slice_place slice_stream_place(const struct slice_stream *stream)
{
	struct slice_place place = { .thread = stream->thread, .stream = stream->number };

	if (stream->next_chunk) {
		place.chunk_offset = chunk_offset(stream, stream->next_chunk - 1);
		place.nr_read = stream->nr_read - stream->has_slice;
	}
	return place;
}

bool slice_stream_go_to(struct slice_stream *stream, const struct slice_place *place)
{
	size_t chunk = 0;

	while (chunk < stream->nr_chunks && chunk_offset(stream, chunk) < place->chunk_offset)
		chunk++;
	stream->next_chunk = chunk;
	if (!next_chunk(stream))
		return false;
	do
		if (!slice_stream_advance(stream))
			return false;
	while (stream->next_chunk == chunk + 1 && stream->nr_read <= place->nr_read);
	return true;
}
