/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One writer's slices, decoded one after the other. */
#ifndef INSIDEME_SLICE_STREAM_H
#define INSIDEME_SLICE_STREAM_H

#include "slices.h"

#define SLICE_CACHE_ENTRIES 256

/* A writer: a thread's stream 0, or 1 (signal handlers within a write). */
struct slice_stream {
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
	bool left_out;			/* it is not reported: look for the one behind it */
	struct {
		uint32_t ref;
		bool left_out;
		struct tree_node *path;
	} cache[SLICE_CACHE_ENTRIES];
};

/* Make stream->slice its next slice. Return: false at its end. A chunk that makes no sense is left, and counted as damage. */
bool slice_stream_advance(struct slice_stream *stream);

/* Stand before the first slice that ends at or after @time, which stream->slice is then. Return: false if there is none. */
bool slice_stream_seek(struct slice_stream *stream, int64_t time);

#endif
