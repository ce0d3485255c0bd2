/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writing slices. The writer's state is in the chunk's head, so a chunk is complete after each slice. A hook
 * in a signal handler that interrupts a write uses the thread's second stream; deeper ones drop and count.
 */
#include "slices.h"

#define FIRST_CHUNK_BYTES	4096u
#define LAST_CHUNK_BYTES	(64u << 10)
#define RATE_BYTES		(1u << 20)	/* per second and thread, where the user set no threshold */

static inline uint8_t *put_varint(uint8_t *at, uint64_t value)
{
	while (value >= 128) {
		*at++ = (uint8_t)(value | 128);
		value >>= 7;
	}
	*at++ = (uint8_t)value;
	return at;
}

static inline uint64_t zigzag(int64_t value)
{
	return ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);
}

/* A thread that writes more than its rate gets a higher threshold; the user's own is left alone. */
static void watch_rate(struct log_thread *thread, uint64_t bytes, uint64_t now)
{
	struct log_header *log = live.log;
	uint64_t second_ticks = log->threshold_floor_ticks * 1000000u;

	if (settings.source[SETTING_THRESHOLD] != FROM_FALLBACK)
		return;
	if (now - thread->slice_second_ticks > second_ticks) {
		thread->slice_second_ticks = now;
		thread->slice_second_bytes = 0;
	}
	thread->slice_second_bytes += bytes;
	if (thread->slice_second_bytes >= RATE_BYTES) {
		thread->slice_second_ticks = now;
		thread->slice_second_bytes = 0;
		log_raise_threshold(log, log->threshold_ticks, LOG_THRESHOLD_RATE, now);
	}
}

/* A new chunk for a stream; its first slice will follow @frame's state. */
static NOINLINE struct log_slices *new_chunk(struct log_thread *thread, uint32_t stream, const struct log_frame *frame,
					     uint64_t end_ticks)
{
	struct log_header *log = live.log;
	struct log_slices *last = log_at(log, thread->slices[stream]), *chunk;
	uint64_t bytes = FIRST_CHUNK_BYTES;

	if (thread->slices[stream]) {
		bytes = last->head.bytes < LAST_CHUNK_BYTES ? last->head.bytes * 2 : LAST_CHUNK_BYTES;
		watch_rate(thread, last->head.bytes, end_ticks);
	}
	chunk = (struct log_slices *)recorder_new_area(LOG_AREA_SLICES, thread->head.self, bytes, sizeof(*chunk), 0);
	if (!chunk)
		return NULL;
	chunk->first_ticks = chunk->last_ticks = end_ticks;
	chunk->first_heap_bytes = chunk->last_heap_bytes = log->heap_total_bytes + thread->heap_held_bytes;
	chunk->first_node = chunk->last_node = frame->node;
	chunk->stream = stream;
	if (thread->slices[stream])
		last->head.next = chunk->head.self;
	thread->slices[stream] = chunk->head.self;
	return chunk;
}

static inline void write_to(struct log_thread *thread, uint32_t stream, const struct log_frame *frame,
			    uint64_t end_ticks, bool broken)
{
	struct log_header *log = live.log;
	struct log_slices *chunk = log_at(log, thread->slices[stream]);
	uint32_t shift = log->slice_shift;
	int64_t heap_now = log->heap_total_bytes + thread->heap_held_bytes, thread_delta, others_delta, since_last;
	uint8_t *at, flags;
	int64_t step;

	if (unlikely(!thread->slices[stream] || chunk->head.used_bytes + LOG_SLICE_MAX_BYTES > chunk->head.bytes)) {
		chunk = new_chunk(thread, stream, frame, end_ticks);
		if (!chunk) {
			log_lose(log, LOG_LOST_SLICES);
			return;
		}
	}
	at = (uint8_t *)chunk + chunk->head.used_bytes;
	thread_delta = thread->heap_bytes - frame->thread_heap_bytes;
	others_delta = heap_now - frame->heap_bytes - thread_delta;
	since_last = heap_now - chunk->last_heap_bytes;
	flags = (thread_delta | others_delta | since_last ? LOG_SLICE_HEAP : 0) | (broken ? LOG_SLICE_BROKEN : 0);
	step = ((int64_t)frame->node - (int64_t)chunk->last_node) / (int64_t)LOG_NODE_STEP;
	at = put_varint(at, zigzag(step) << 1 | !!flags);
	at = put_varint(at, (end_ticks >> shift) - (chunk->last_ticks >> shift));
	at = put_varint(at, (end_ticks - frame->start_ticks) >> shift);
	if (flags)
		*at++ = flags;
	if (flags & LOG_SLICE_HEAP) {
		at = put_varint(at, zigzag(thread_delta));
		at = put_varint(at, zigzag(others_delta));
		at = put_varint(at, zigzag(since_last));
		chunk->last_heap_bytes = heap_now;
	}
	chunk->last_node = frame->node;
	chunk->last_ticks = end_ticks;
	chunk->nr_slices++;
	signal_fence();
	chunk->head.used_bytes = (uint64_t)(at - (uint8_t *)chunk);
}

NOINLINE void slice_write(struct log_thread *thread, const struct log_frame *frame, uint64_t end_ticks, bool broken)
{
	uint32_t stream = thread->slice_depth;

	if (unlikely(stream >= ARRAY_SIZE(thread->slices))) {
		log_lose(live.log, LOG_LOST_SLICES);
		return;
	}
	thread->slice_depth = stream + 1;
	signal_fence();
	write_to(thread, stream, frame, end_ticks, broken);
	signal_fence();
	thread->slice_depth = stream;
}
