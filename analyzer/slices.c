/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading slices: one stream per writer, each a list of self-contained chunks; the streams are merged by a heap
 * whose top is the one with the earliest end. A chunk that stops making sense is left, the next one is sound again.
 */
#include "slices.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "logfile.h"
#include "nodes.h"
#include "varint.h"

#define CACHE_ENTRIES 256

/* A writer: a thread's stream 0, or 1 (signal handlers within a write). */
struct stream {
	struct thread *thread;
	uint32_t *chunks;		/* indices of the log's extents, in the order of time */
	size_t nr_chunks;
	size_t next_chunk;

	const uint8_t *at;		/* in the chunk that is being read */
	const uint8_t *end;
	uint64_t ticks;			/* state after the slice before: end >> shift */
	uint64_t first_ticks;		/* start of the log >> shift */
	uint64_t limit_ticks;		/* the latest that can be >> shift */
	int64_t heap_bytes;
	uint32_t node;
	uint32_t serial;		/* of the thread that writes, of those that had the record in turn */
	uint32_t tid;
	uint32_t left;			/* slices left in the chunk */

	struct slice slice;		/* the next one to hand out */
	struct {
		uint32_t ref;
		struct tree_node *path;
	} cache[CACHE_ENTRIES];
};

struct slice_reader {
	struct stream *streams;
	size_t nr_streams;
	struct stream **heap;		/* those that have a slice, the earliest first */
	size_t nr_heap;
};

static struct log_slices chunk_head(const struct stream *stream, size_t chunk)
{
	const struct logfile *log = stream->thread->process->log;
	struct log_slices head;

	memcpy(&head, log->base + log->extents[stream->chunks[chunk]].offset, sizeof(head));
	return head;
}

static void damaged(struct stream *stream, const char *what)
{
	struct process *process = stream->thread->process;
	const struct log_extent *extent = &process->log->extents[stream->chunks[stream->next_chunk - 1]];

	logfile_damaged(process->log, extent->offset, what);
	process->nr_damaged = process->log->nr_damaged;
	stream->at = stream->end;
	stream->left = 0;
}

/* Begin with the next chunk. Return: false when there is none. */
static bool next_chunk(struct stream *stream)
{
	struct process *process = stream->thread->process;
	uint32_t shift = process->header.slice_shift;
	const struct log_extent *extent;
	struct log_slices head;

	if (stream->next_chunk == stream->nr_chunks)
		return false;
	head = chunk_head(stream, stream->next_chunk);
	extent = &process->log->extents[stream->chunks[stream->next_chunk++]];
	stream->at = process->log->base + extent->offset + sizeof(head);
	stream->end = process->log->base + extent->offset + extent->used_bytes;
	stream->ticks = head.first_ticks >> shift;
	stream->heap_bytes = head.first_heap_bytes;
	stream->node = head.first_node;
	stream->serial = head.first_serial;
	stream->tid = head.first_tid;
	stream->left = head.nr_slices;
	return true;
}

/* At the end of a chunk: are its slices as many as it says? One may have been on its way. */
static void check_chunk(struct stream *stream)
{
	if (stream->thread->process->end_kind != END_RUNNING && (stream->left > 1 || stream->at != stream->end))
		damaged(stream, "another number of slices than it says");
}

static inline bool get_varint(struct stream *stream, uint64_t *value)
{
	return varint_get(&stream->at, stream->end, value);
}

static inline int64_t add(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);	/* damage must not overflow */
}

static bool get_heap(struct stream *stream)
{
	uint64_t thread_delta, others_delta, since_last;
	struct slice *slice = &stream->slice;
	int64_t change;

	if (!get_varint(stream, &thread_delta) || !get_varint(stream, &others_delta) ||
	    !get_varint(stream, &since_last))
		return false;
	slice->heap_delta_bytes = varint_signed(thread_delta);
	change = add(slice->heap_delta_bytes, varint_signed(others_delta));
	stream->heap_bytes = add(stream->heap_bytes, varint_signed(since_last));
	slice->heap_after_bytes = stream->heap_bytes;
	slice->heap_before_bytes = add(stream->heap_bytes, (int64_t)(0 - (uint64_t)change));
	return true;
}

static bool get_u32(struct stream *stream, uint32_t *number)
{
	uint64_t value;

	if (!get_varint(stream, &value) || value > UINT32_MAX)
		return false;
	*number = (uint32_t)value;
	return true;
}

static bool get_bounds(struct stream *stream)
{
	struct process *process = stream->thread->process;
	uint64_t longer;

	if (!get_varint(stream, &longer))
		return false;
	stream->slice.longer_ns = (double)(longer << process->header.slice_shift) * process->tick_ns;
	stream->slice.has_heap = false;
	return true;
}

static bool get_flags(struct stream *stream)
{
	const uint8_t known = LOG_SLICE_HEAP | LOG_SLICE_BROKEN | LOG_SLICE_THREAD | LOG_SLICE_BOUNDS;
	uint8_t flags;

	if (stream->at == stream->end)
		return false;
	flags = *stream->at++;
	stream->slice.broken = flags & LOG_SLICE_BROKEN;
	return !(flags & ~known) && (!(flags & LOG_SLICE_HEAP) || get_heap(stream)) &&
	       (!stream->slice.broken || get_u32(stream, &stream->slice.reason)) && (!(flags & LOG_SLICE_THREAD) || (get_u32(stream, &stream->serial) && get_u32(stream, &stream->tid))) &&
	       (!(flags & LOG_SLICE_BOUNDS) || get_bounds(stream));
}

static struct tree_node *find_path(struct stream *stream)
{
	size_t entry = stream->node / LOG_NODE_STEP % CACHE_ENTRIES;

	if (stream->cache[entry].ref != stream->node || !stream->cache[entry].path) {
		stream->cache[entry].ref = stream->node;
		stream->cache[entry].path = nodes_path(stream->thread, stream->node);
	}
	return stream->cache[entry].path;
}

/* Decode one slice of the chunk. Return: false if it makes no sense. */
static bool decode(struct stream *stream)
{
	struct process *process = stream->thread->process;
	uint32_t shift = process->header.slice_shift;
	struct slice *slice = &stream->slice;
	uint64_t step, since, duration;

	if (!get_varint(stream, &step) || !get_varint(stream, &since) || !get_varint(stream, &duration))
		return false;
	stream->node += (uint32_t)varint_signed(step >> 1) * LOG_NODE_STEP;
	stream->ticks += since;		/* modulo 2^64: a slice may end a little before the one in front of it */
	slice->heap_delta_bytes = 0;
	slice->heap_before_bytes = slice->heap_after_bytes = stream->heap_bytes;
	slice->broken = false;
	slice->reason = LOG_BROKEN_UNSEEN;
	slice->has_heap = process->header.heap_bytes != LOG_HEAP_OFF;
	slice->longer_ns = 0;
	if ((step & 1) && !get_flags(stream))
		return false;
	slice->tid = stream->tid;
	slice->thread_name = stream->serial == slice->thread->serial ? slice->thread->name : slice->thread->earlier_name;
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

/* Make stream->slice its next slice. Return: false at its end. */
static bool advance(struct stream *stream)
{
	for (;;) {
		if (stream->left && stream->at < stream->end) {
			stream->left--;
			if (decode(stream))
				return true;
			damaged(stream, "a slice");
		} else {
			if (stream->next_chunk)
				check_chunk(stream);
			if (!next_chunk(stream))
				return false;
		}
	}
}

static bool is_earlier(const struct stream *a, const struct stream *b)
{
	return a->slice.end != b->slice.end ? a->slice.end < b->slice.end : a < b;
}

static void sink(struct slice_reader *reader, size_t i)
{
	struct stream *stream = reader->heap[i];

	for (;;) {
		size_t child = 2 * i + 1;

		if (child + 1 < reader->nr_heap && is_earlier(reader->heap[child + 1], reader->heap[child]))
			child++;
		if (child >= reader->nr_heap || !is_earlier(reader->heap[child], stream))
			break;
		reader->heap[i] = reader->heap[child];
		i = child;
	}
	reader->heap[i] = stream;
}

bool slices_next(struct slice_reader *reader, struct slice *slice)
{
	struct stream *stream;

	if (reader->nr_heap == 0)
		return false;
	stream = reader->heap[0];
	*slice = stream->slice;
	if (!advance(stream))
		reader->heap[0] = reader->heap[--reader->nr_heap];
	if (reader->nr_heap)
		sink(reader, 0);
	return true;
}

/* The first chunk whose last slice ends at or after @time. */
static size_t find_chunk(const struct stream *stream, int64_t time)
{
	size_t low = 0, high = stream->nr_chunks;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (process_time(stream->thread->process, chunk_head(stream, middle).last_ticks) < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Stand before the first slice that ends at or after @time. Return: false if there is none. */
static bool seek_stream(struct stream *stream, int64_t time)
{
	stream->next_chunk = find_chunk(stream, time);
	if (!next_chunk(stream))
		return false;
	do
		if (!advance(stream))
			return false;
	while (stream->slice.end < time);
	return true;
}

void slices_seek(struct slice_reader *reader, int64_t time)
{
	reader->nr_heap = 0;
	for (size_t i = 0; i < reader->nr_streams; i++)
		if (seek_stream(&reader->streams[i], time))
			reader->heap[reader->nr_heap++] = &reader->streams[i];
	for (size_t i = reader->nr_heap / 2; i-- > 0;)
		sink(reader, i);
}

static bool is_wanted(struct thread *const *threads, size_t nr_threads, const struct thread *thread)
{
	for (size_t i = 0; i < nr_threads; i++)
		if (threads[i] == thread)
			return true;
	return false;
}

/* Two streams for each thread, those of thread i of the process at 2i and 2i + 1. */
static void init_streams(struct stream *streams, struct process *process)
{
	uint32_t shift = process->header.slice_shift;

	for (size_t i = 0; i < 2 * process->nr_threads; i++) {
		streams[i].thread = streams[i].slice.thread = process->threads[i / 2];
		streams[i].first_ticks = process->timebase.points[0].ticks >> shift;
		streams[i].limit_ticks = process->limit_ticks >> shift;
	}
}

static void add_chunks(struct stream *streams, struct process *process)
{
	struct logfile *log = process->log;

	for (size_t i = 0; i < log->nr_extents; i++) {
		struct stream *stream;
		struct log_slices head;
		struct thread *thread;

		if (log->extents[i].kind != LOG_AREA_SLICES)
			continue;
		memcpy(&head, log->base + log->extents[i].offset, sizeof(head));
		thread = nodes_thread(process, log->extents[i].owner);
		if (!thread || head.stream > 1) {
			logfile_damaged(log, log->extents[i].offset, "slices of no thread");
			process->nr_damaged = log->nr_damaged;
			continue;
		}
		stream = &streams[2 * thread->index + head.stream];
		stream->chunks = xgrow(stream->chunks, stream->nr_chunks, sizeof(*stream->chunks));
		stream->chunks[stream->nr_chunks++] = (uint32_t)i;
	}
}

/* Streams without slices, or that nobody asked for, go. */
static void keep_wanted(struct slice_reader *reader, struct thread *const *threads, size_t nr_threads)
{
	size_t kept = 0;

	for (size_t i = 0; i < reader->nr_streams; i++) {
		if (reader->streams[i].nr_chunks && !reader->streams[i].thread->left_out &&
		    (!threads || is_wanted(threads, nr_threads, reader->streams[i].thread)))
			reader->streams[kept++] = reader->streams[i];
		else
			free(reader->streams[i].chunks);
	}
	reader->nr_streams = kept;
}

struct slice_reader *slices_open(struct model *model, struct thread *const *threads, size_t nr_threads)
{
	struct slice_reader *reader = xcalloc(1, sizeof(*reader));
	size_t nr = 0;

	for (size_t i = 0; i < model->nr_processes; i++)
		reader->nr_streams += 2 * model->processes[i]->nr_threads;
	reader->streams = xcalloc(reader->nr_streams, sizeof(*reader->streams));
	for (size_t i = 0; i < model->nr_processes; i++) {
		init_streams(&reader->streams[nr], model->processes[i]);
		add_chunks(&reader->streams[nr], model->processes[i]);
		nr += 2 * model->processes[i]->nr_threads;
	}
	keep_wanted(reader, threads, nr_threads);
	reader->heap = xcalloc(reader->nr_streams, sizeof(struct stream *));
	slices_seek(reader, INT64_MIN);
	return reader;
}

struct slice_reader *slices_open_all(struct model *model)
{
	return slices_open(model, NULL, 0);
}

void slices_close(struct slice_reader *reader)
{
	if (!reader)
		return;
	for (size_t i = 0; i < reader->nr_streams; i++)
		free(reader->streams[i].chunks);
	free(reader->streams);
	free(reader->heap);
	free(reader);
}
