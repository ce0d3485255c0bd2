/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The slices of one writer, decoded one after the other. */
#pragma once

#include "analyzer/calls/slices.h"

#define SLICE_CACHE_ENTRIES 256

/* A writer: stream 0 of a thread, or 1 (signal handlers within a write). */
struct slice_stream {
	struct thread *thread;
	uint32_t *chunks;		/* indices of the log's extents, in the order of time */
	size_t nr_chunks;
	size_t next_chunk;
	uint64_t nr_older; /* INSIDEME_LAST: slices of the first chunk that do not count any more */

	const uint8_t *at;		/* in the chunk that is being read */
	const uint8_t *end;
	uint64_t begin_ticks;		/* of the chunk, as its head says; another is another chunk */
	uint64_t ticks;			/* state after the previous slice: end >> shift */
	uint64_t first_ticks;		/* start of the log >> shift */
	uint64_t limit_ticks;		/* the latest possible >> shift */
	int64_t heap_bytes;
	uint32_t node;
	uint32_t serial; /* of the thread that writes, among those that used the record in turn */
	uint32_t tid;
	uint32_t left;			/* slices left in the chunk */
	uint32_t nr_read;		/* slices read from the chunk, including the next one to return */
	uint32_t number;		/* 0 or 1, of the thread's two */
	bool is_live;			/* incomplete data is the end of what can be read */
	bool has_slice;

	struct slice slice;		/* the next one to return */
	bool left_out;			/* not reported: continue with the next one, unless */
	bool wants_left_out;		/* only those are wanted */
	struct {
		uint32_t ref;
		bool left_out;
		struct tree_node *path;
	} cache[SLICE_CACHE_ENTRIES];
};

/*
 * Go to the next slice: stream->slice. Return: false at the end. A chunk that makes no sense is skipped and
 * counts as damage.
 */
bool slice_stream_advance(struct slice_stream *stream);

/* Go to the first slice that ends at or after @time. Return: false if there is none */
bool slice_stream_seek(struct slice_stream *stream, int64_t time);

/* The current place, and continuing from it in a later reading of the log. */
struct slice_place slice_stream_place(const struct slice_stream *stream);
bool slice_stream_go_to(struct slice_stream *stream, const struct slice_place *place);
