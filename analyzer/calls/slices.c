/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads slices. Each writer has one stream, a list of self-contained chunks. A heap merges the streams; its
 * top is the stream with the earliest end.
 */
#include "analyzer/calls/slices.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/calls/slice_stream.h"
#include "analyzer/log/logfile.h"
#include "analyzer/read/nodes_read.h"

/* A stream that has a slice. It has the keys for comparisons, so that most comparisons touch no stream. */
struct waiting {
	int64_t end;
	struct slice_stream *stream;
};

struct slice_reader {
	struct slice_stream *streams;
	size_t nr_streams;
	struct waiting *heap;			/* the earliest first */
	size_t nr_heap;
};

static inline bool is_earlier(const struct waiting *a, const struct waiting *b)
{
	return a->end != b->end ? a->end < b->end : a->stream < b->stream;
}

static void sink(struct slice_reader *reader, size_t i)
{
	struct waiting *heap = reader->heap, sinking = heap[i];

	for (;;) {
		size_t child = 2 * i + 1;

		if (child + 1 < reader->nr_heap)
			child += is_earlier(&heap[child + 1], &heap[child]);
		if (child >= reader->nr_heap || !is_earlier(&heap[child], &sinking))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = sinking;
}

bool slices_next(struct slice_reader *reader, struct slice *slice)
{
	struct slice_stream *stream;

	if (reader->nr_heap == 0)
		return false;
	stream = reader->heap[0].stream;
	*slice = stream->slice;
	stream->has_slice = slice_stream_advance(stream);
	if (stream->has_slice)
		reader->heap[0].end = stream->slice.end;
	else
		reader->heap[0] = reader->heap[--reader->nr_heap];
	if (reader->nr_heap > 1)
		sink(reader, 0);
	return true;
}

const struct slice *slices_peek(const struct slice_reader *reader)
{
	return reader->nr_heap ? &reader->heap[0].stream->slice : NULL;
}

/* Order the streams that have a slice. */
static void make_heap(struct slice_reader *reader)
{
	reader->nr_heap = 0;
	for (size_t i = 0; i < reader->nr_streams; i++)
		if (reader->streams[i].has_slice)
			reader->heap[reader->nr_heap++] =
				(struct waiting){ reader->streams[i].slice.end, &reader->streams[i] };
	for (size_t i = reader->nr_heap / 2; i-- > 0;)
		sink(reader, i);
}

void slices_seek(struct slice_reader *reader, int64_t time)
{
	for (size_t i = 0; i < reader->nr_streams; i++)
		reader->streams[i].has_slice = slice_stream_seek(&reader->streams[i], time);
	make_heap(reader);
}

void slices_each_place(const struct slice_reader *reader,
		       void (*visit)(const struct slice_place *place, void *context), void *context)
{
	for (size_t i = 0; i < reader->nr_streams; i++) {
		struct slice_place place = slice_stream_place(&reader->streams[i]);

		visit(&place, context);
	}
}

void slices_go_on(struct slice_reader *reader, bool is_live,
		  void (*find)(struct slice_place *place, void *context), void *context)
{
	for (size_t i = 0; i < reader->nr_streams; i++) {
		struct slice_stream *stream = &reader->streams[i];
		struct slice_place place = { .thread = stream->thread, .stream = stream->number };

		find(&place, context);
		stream->is_live |= is_live;
		stream->has_slice = slice_stream_go_to(stream, &place);
	}
	make_heap(reader);
}

/* Two streams for each thread: those of thread i of the process are at 2i and 2i + 1. */
static void init_streams(struct slice_stream *streams, struct process *process)
{
	uint32_t shift = process->header.slice_shift;

	for (size_t i = 0; i < 2 * process->nr_threads; i++) {
		streams[i].thread = streams[i].slice.thread = process->threads[i / 2];
		streams[i].first_ticks = process->timebase.points[0].ticks >> shift;
		streams[i].limit_ticks = process->limit_ticks >> shift;
		streams[i].is_live = process->end_kind == END_RUNNING;
	}
}

static void add_chunks(struct slice_stream *streams, struct process *process)
{
	struct logfile *log = process->log;

	for (size_t i = 0; i < log->nr_extents; i++) {
		struct slice_stream *stream;
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
		stream->number = head.stream;
		APPEND(stream->chunks, stream->nr_chunks) = (uint32_t)i;
	}
}

struct dated_chunk {
	uint64_t first_ticks;
	uint32_t nr_slices;
	uint32_t chunk;
};

static int by_begin(const void *a, const void *b)
{
	const struct dated_chunk *x = a, *y = b;

	return (x->first_ticks > y->first_ticks) - (x->first_ticks < y->first_ticks);
}

/* INSIDEME_LAST: chunks are a ring, and more slices are left in it than count. */
static void keep_last(struct slice_stream *stream)
{
	const struct process *process = stream->thread->process;
	struct dated_chunk *chunks = xcalloc(stream->nr_chunks, sizeof(*chunks));
	uint64_t nr = 0;
	size_t first = 0;

	for (size_t i = 0; i < stream->nr_chunks; i++) {
		struct log_slices head;

		memcpy(&head, process->log->base + process->log->extents[stream->chunks[i]].offset,
		       sizeof(head));
		chunks[i] = (struct dated_chunk){ head.first_ticks, head.nr_slices, stream->chunks[i] };
		nr += head.nr_slices;
	}
	qsort(chunks, stream->nr_chunks, sizeof(*chunks), by_begin);
	while (first < stream->nr_chunks && nr - chunks[first].nr_slices >= process->header.last_calls)
		nr -= chunks[first++].nr_slices;
	stream->nr_older = nr > process->header.last_calls ? nr - process->header.last_calls : 0;
	stream->nr_chunks -= first;
	for (size_t i = 0; i < stream->nr_chunks; i++)
		stream->chunks[i] = chunks[first + i].chunk;
	free(chunks);
}

/* Drop streams without slices, and streams that are not wanted. */
static void keep_wanted(struct slice_reader *reader, const struct thread *only)
{
	size_t kept = 0;

	for (size_t i = 0; i < reader->nr_streams; i++) {
		if (reader->streams[i].nr_chunks && reader->streams[i].thread->process->header.last_calls)
			keep_last(&reader->streams[i]);
		if (reader->streams[i].nr_chunks && !reader->streams[i].thread->left_out &&
		    (!only || reader->streams[i].thread == only))
			reader->streams[kept++] = reader->streams[i];
		else
			free(reader->streams[i].chunks);
	}
	reader->nr_streams = kept;
}

static struct slice_reader *open_streams(struct process *const *processes, size_t nr_processes,
					 const struct thread *only, bool wants_left_out)
{
	struct slice_reader *reader = xcalloc(1, sizeof(*reader));
	size_t nr = 0;

	for (size_t i = 0; i < nr_processes; i++)
		reader->nr_streams += 2 * processes[i]->nr_threads;
	reader->streams = xcalloc(reader->nr_streams, sizeof(*reader->streams));
	for (size_t i = 0; i < nr_processes; i++) {
		init_streams(&reader->streams[nr], processes[i]);
		add_chunks(&reader->streams[nr], processes[i]);
		nr += 2 * processes[i]->nr_threads;
	}
	for (size_t i = 0; i < reader->nr_streams; i++)
		reader->streams[i].wants_left_out = wants_left_out;
	keep_wanted(reader, only);
	reader->heap = xcalloc(reader->nr_streams, sizeof(*reader->heap));
	slices_seek(reader, INT64_MIN);
	return reader;
}

struct slice_reader *slices_open_process(struct process *process)
{
	return open_streams(&process, 1, NULL, false);
}

struct slice_reader *slices_open_thread(struct thread *thread)
{
	return open_streams(&thread->process, 1, thread, false);
}

struct slice_reader *slices_open_all(struct model *model)
{
	return open_streams(model->processes, model->nr_processes, NULL, false);
}

struct slice_reader *slices_open_waits(struct process *process, const struct thread *thread)
{
	return open_streams(&process, process->header.has_hooks ? 0 : 1, thread, true);
}

void slices_close(struct slice_reader *reader)
{
	if (!reader)
		return;
	for (size_t i = 0; i < reader->nr_streams; i++)
		if (!i || reader->streams[i].thread->process != reader->streams[i - 1].thread->process)
			logfile_forget_all(reader->streams[i].thread->process->log);
	for (size_t i = 0; i < reader->nr_streams; i++)
		free(reader->streams[i].chunks);
	free(reader->streams);
	free(reader->heap);
	free(reader);
}
