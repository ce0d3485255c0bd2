/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writing slices. The writer's state is in the chunk's head, so a chunk is complete after each slice. A hook
 * in a signal handler that interrupts a write uses the thread's second stream; deeper ones drop and count.
 */
#include "preload/calls/slices.h"

#include "insideme_varint.h"
#include "preload/calls/verbose_calls.h"
#include "preload/common/run/message.h"
#include "preload/state/log_space.h"
#include "preload/state/rss_at_calls.h"

#define FIRST_CHUNK_BYTES	4096u
#define LAST_CHUNK_BYTES	(64u << 10)
#define RATE_BYTES		(1u << 20)	/* per second and thread, where the user set no threshold */

/* A thread that writes more than its rate gets a higher threshold; the user's own is left alone. */
static void watch_rate(struct log_thread *thread, uint64_t bytes, uint64_t now)
{
	struct log_header *log = live.log;
	uint64_t second_ticks = log->threshold_floor_ticks * 1000000u;

	if (settings.source[SETTING_THRESHOLD] != FROM_FALLBACK || log->last_calls)
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

/*
 * The size of the next chunk: twice the last one, up to a limit; small again when room runs out, so that the
 * threshold rises in time.
 */
static uint64_t next_chunk_bytes(const struct log_header *log, uint64_t last_bytes)
{
	uint64_t share = log_slice_share(log), tail = log->tail_bytes, left = share > tail ? share - tail : 0;
	uint64_t bytes = last_bytes < LAST_CHUNK_BYTES ? last_bytes * 2 : LAST_CHUNK_BYTES;

	while (bytes > FIRST_CHUNK_BYTES && bytes > left / 8)
		bytes /= 2;
	return bytes;
}

void slices_watch_room(const struct log_header *log)
{
	if (log->threshold_set_ns || !log->threshold_ticks || live_is_sealed() ||
	    !say_is_news(MESSAGE_NOT_EVERY_CALL))
		return;
	say_line("half of the log's room is used: from now on short calls are counted but not recorded one "
		 "by one; a larger INSIDEME_BUDGET records more");
}

/* Slices in the chunks of a ring but its oldest one. */
static uint64_t nr_after_oldest(const struct log_header *log, const struct log_slices *last)
{
	const struct log_slices *oldest = log_at(log, last->head.next);

	return oldest == last ? 0 : last->nr_others + last->nr_slices - oldest->nr_slices;
}

/*
 * INSIDEME_LAST: the oldest chunk, to be written again. Its head is not valid until take_in_ring() has
 * written it. NULL: the others hold too few slices.
 */
static struct log_slices *oldest_chunk(struct log_header *log, const struct log_slices *last)
{
	struct log_slices *oldest = log_at(log, last->head.next);

	if (nr_after_oldest(log, last) < log->last_calls)
		return NULL;
	__atomic_store_n(&oldest->head.magic, 0, __ATOMIC_SEQ_CST);
	oldest->head.used_bytes = sizeof(*oldest);
	return oldest;
}

static struct log_slices *next_chunk(struct log_thread *thread, struct log_slices *last, uint64_t end_ticks)
{
	struct log_header *log = live.log;
	struct log_slices *chunk = last && log->last_calls ? oldest_chunk(log, last) : NULL;
	uint64_t bytes = last ? next_chunk_bytes(log, last->head.bytes) : FIRST_CHUNK_BYTES;

	if (chunk)
		return chunk;
	if (last)
		watch_rate(thread, last->head.bytes, end_ticks);
	chunk = (struct log_slices *)log_space_new_area(LOG_AREA_SLICES, thread->head.self, bytes,
							sizeof(*chunk), 0);
	slices_watch_room(log);
	return chunk;
}

/* Behind @last, which may be the only one; NULL: @chunk is the first. */
static void take_in_ring(const struct log_header *log, struct log_slices *chunk, struct log_slices *last)
{
	bool is_oldest = last && last->head.next == chunk->head.self;

	chunk->nr_others = !last ? 0
				 : (uint32_t)(is_oldest ? nr_after_oldest(log, last)
							: last->nr_others + last->nr_slices);
	chunk->nr_slices = 0;
	if (!is_oldest)
		chunk->head.next = last ? last->head.next : chunk->head.self;
	__atomic_store_n(&chunk->head.magic, LOG_AREA_MAGIC, __ATOMIC_RELEASE);
}

/* A new chunk for a stream; its first slice will follow @frame's state. */
static NOINLINE struct log_slices *new_chunk(struct log_thread *thread, uint32_t stream,
					     const struct log_frame *frame, uint64_t end_ticks)
{
	struct log_header *log = live.log;
	struct log_slices *last = thread->slices[stream] ? log_at(log, thread->slices[stream]) : NULL, *chunk;

	chunk = next_chunk(thread, last, end_ticks);
	if (!chunk)
		return NULL;
	chunk->first_ticks = chunk->last_ticks = end_ticks;
	chunk->first_heap_bytes = chunk->last_heap_bytes = log->heap_total_bytes + thread->heap_held_bytes;
	chunk->first_node = chunk->last_node = frame->node;
	chunk->stream = stream;
	chunk->first_serial = chunk->last_serial = thread->serial;
	chunk->first_tid = thread->tid;
	if (log->last_calls)
		take_in_ring(log, chunk, last);
	if (last)
		last->head.next = chunk->head.self;
	thread->slices[stream] = chunk->head.self;
	return chunk;
}

/* Changes of the heap during a call and since the chunk's last slice. */
struct heap_change {
	int64_t now_bytes;
	int64_t by_thread;
	int64_t by_others;
	int64_t since_last;
};

static ALWAYS_INLINE struct heap_change heap_change(const struct log_header *log,
						    const struct log_thread *thread,
						    const struct log_frame *frame,
						    const struct log_slices *chunk)
{
	struct heap_change change = { .now_bytes = chunk->last_heap_bytes };

	if (unlikely(!live.heap_in_slices || !frame->start_ticks))
		return change;
	change.now_bytes = log->heap_total_bytes + thread->heap_held_bytes;
	change.by_thread = thread->heap_bytes - frame->thread_heap_bytes;
	change.by_others = change.now_bytes - frame->heap_bytes - change.by_thread;
	change.since_last = change.now_bytes - chunk->last_heap_bytes;
	return change;
}

static ALWAYS_INLINE bool has_changed(const struct heap_change *heap)
{
	return heap->by_thread | heap->by_others | heap->since_last;
}

/* Changes of memory during a call. */
struct change {
	struct heap_change heap;
	struct log_memory_reading entry, exit;
};

/* Return: whether it is known. */
static bool read_memory(const struct log_thread *thread, const struct log_frame *frame, struct change *change)
{
	change->entry = *memory_of(log_at(live.log, thread->frames), frame);
	if (change->entry.rss_bytes != LOG_NONE)
		memory_read(&change->exit);
	return change->entry.rss_bytes != LOG_NONE && change->exit.rss_bytes != LOG_NONE;
}

static uint8_t *put_pages(uint8_t *at, uint64_t entry_bytes, uint64_t exit_bytes)
{
	const uint64_t page_bytes = live.log->page_bytes;

	at = varint_put(at, entry_bytes / page_bytes);
	return varint_put(at,
			  zigzag((int64_t)(exit_bytes / page_bytes) - (int64_t)(entry_bytes / page_bytes)));
}

/* The parts that most slices do not have; @flags says which are there. */
static uint8_t *put_more(uint8_t *at, uint32_t flags, const struct log_thread *thread,
			 const struct change *change)
{
	*at++ = (uint8_t)flags;
	if (flags & LOG_SLICE_HEAP) {
		at = varint_put(at, zigzag(change->heap.by_thread));
		at = varint_put(at, zigzag(change->heap.by_others));
		at = varint_put(at, zigzag(change->heap.since_last));
	}
	if (flags & LOG_SLICE_BROKEN)
		at = varint_put(at, thread->broken_reason);
	if (flags & LOG_SLICE_THREAD)
		at = varint_put(varint_put(at, thread->serial), thread->tid);
	if (flags & LOG_SLICE_MEMORY) {
		at = put_pages(at, change->entry.rss_bytes, change->exit.rss_bytes);
		at = put_pages(at, change->entry.vms_bytes, change->exit.vms_bytes);
	}
	return at;
}

static ALWAYS_INLINE void publish(struct log_slices *chunk, const struct log_frame *frame, uint64_t end_ticks,
				  int64_t heap_bytes, const uint8_t *end)
{
	chunk->last_heap_bytes = heap_bytes;
	chunk->last_node = frame->node;
	chunk->last_ticks = end_ticks;
	chunk->nr_slices++;
	signal_fence();
	__atomic_store_n(&chunk->head.used_bytes, (uint64_t)(end - (uint8_t *)chunk), __ATOMIC_RELEASE);
}

/*
 * Write a slice of any size; take a new chunk when this one is full. A function of its own, so that short
 * slices need few registers.
 */
static NOINLINE void write_any(struct log_thread *thread, uint32_t stream, const struct log_frame *frame,
			       uint64_t end_ticks, bool broken)
{
	struct log_header *log = live.log;
	struct log_slices *chunk = log_at(log, thread->slices[stream]);
	struct change change;
	uint64_t start_ticks = frame->start_ticks;
	uint32_t flags;
	int64_t step;
	uint8_t *at;

	if (!thread->slices[stream] || chunk->head.used_bytes + LOG_SLICE_MAX_BYTES > chunk->head.bytes) {
		chunk = new_chunk(thread, stream, frame, end_ticks);
		if (!chunk) {
			log_lose(log, LOG_LOST_SLICES);
			return;
		}
	}
	change.heap = heap_change(log, thread, frame, chunk);
	flags = has_changed(&change.heap) ? LOG_SLICE_HEAP : 0;
	flags |= broken ? LOG_SLICE_BROKEN : 0;
	flags |= thread->serial != chunk->last_serial ? LOG_SLICE_THREAD : 0;	/* it took over the record */
	flags |= live.reads_memory && read_memory(thread, frame, &change) ? LOG_SLICE_MEMORY : 0;
	step = ((int64_t)frame->node - (int64_t)chunk->last_node) / (int64_t)LOG_NODE_STEP;
	at = varint_put((uint8_t *)chunk + chunk->head.used_bytes, zigzag(step) << 1 | !!flags);
	at = varint_put(at, (end_ticks >> log->slice_shift) - (chunk->last_ticks >> log->slice_shift));
	at = varint_put(at, (end_ticks - start_ticks) >> log->slice_shift);
	if (flags)
		at = put_more(at, flags, thread, &change);
	chunk->last_serial = thread->serial;
	publish(chunk, frame, end_ticks, change.heap.now_bytes, at);
}

/*
 * Where there are many slices, most are three varints of one byte, written by one store. False: it is another
 * kind; a call that was not timed seems to have lasted since 0, which is too long.
 */
static ALWAYS_INLINE bool write_short(struct log_thread *thread, uint32_t stream,
				      const struct log_frame *frame, uint64_t end_ticks, bool broken)
{
	struct log_header *log = live.log;
	struct log_slices *chunk = log_at(log, thread->slices[stream]);
	uint64_t used = chunk->head.used_bytes, place, end, duration;
	struct heap_change heap;
	uint32_t bytes;
	uint8_t *at;

	if (unlikely(!thread->slices[stream] || used + LOG_SLICE_MAX_BYTES > chunk->head.bytes ||
		     thread->serial != chunk->last_serial))
		return false;
	heap = heap_change(log, thread, frame, chunk);
	place = zigzag((int32_t)(frame->node - chunk->last_node)) / LOG_NODE_STEP << 1;
	end = (end_ticks >> log->slice_shift) - (chunk->last_ticks >> log->slice_shift);
	duration = (end_ticks - frame->start_ticks) >> log->slice_shift;
	if (unlikely((place | end | duration) >= 128 || has_changed(&heap) | broken))
		return false;
	bytes = (uint32_t)(place | end << 8 | duration << 16);
	at = (uint8_t *)chunk + used;
	__builtin_memcpy(at, &bytes, sizeof(bytes));
	publish(chunk, frame, end_ticks, heap.now_bytes, at + 3);
	return true;
}

/* The slow cases: memory is read, or a line is printed when the slice is written. */
static NOINLINE void write_slowly(struct log_thread *thread, uint32_t stream, const struct log_frame *frame,
				  uint64_t end_ticks, bool broken)
{
	write_any(thread, stream, frame, end_ticks, broken);
	signal_fence();
	thread->slice_depth = stream;
	if (settings.value[SETTING_VERBOSE])
		verbose_call(frame, end_ticks, broken);
}

NOINLINE void slice_write(struct log_thread *thread, const struct log_frame *frame, uint64_t end_ticks,
			  bool broken)
{
	uint32_t stream = thread->slice_depth;

	if (unlikely(stream >= ARRAY_SIZE(thread->slices))) {
		log_lose(live.log, LOG_LOST_SLICES);
		return;
	}
	thread->slice_depth = stream + 1;
	signal_fence();
	if (unlikely(live.has_slow_slices)) {
		write_slowly(thread, stream, frame, end_ticks, broken);
		return;
	}
	if (!write_short(thread, stream, frame, end_ticks, broken))
		write_any(thread, stream, frame, end_ticks, broken);
	signal_fence();
	thread->slice_depth = stream;
}
