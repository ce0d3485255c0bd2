/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writing records of MPI calls. Reports match them with those of other ranks by their order alone. So after
 * the first record that is lost no more are written, and those before it stay true.
 */
#include "preload/calls/transfers.h"

#include "insideme_varint.h"
#include "preload/state/log_space.h"

#define FIRST_AREA_BYTES 4096u
#define LAST_AREA_BYTES (64u << 10)

void transfer_lost(uint64_t begin_ticks)
{
	uint64_t *end = &live.log->transfers_end_ticks, known = __atomic_load_n(end, __ATOMIC_RELAXED);

	log_lose(live.log, LOG_LOST_TRANSFERS);
	while (!known || begin_ticks < known)
		if (__atomic_compare_exchange_n(end, &known, begin_ticks, true, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			break;
}

static NOINLINE struct log_transfers *new_area(struct log_thread *thread, const struct transfer *first)
{
	struct log_transfers *last = log_at(live.log, thread->transfers), *area;
	uint64_t bytes = FIRST_AREA_BYTES;

	if (thread->transfers)
		bytes = last->head.bytes < LAST_AREA_BYTES ? last->head.bytes * 2 : LAST_AREA_BYTES;
	area = (struct log_transfers *)log_space_new_area(LOG_AREA_TRANSFERS, thread->head.self, bytes,
							  sizeof(*area), 0);
	if (!area)
		return NULL;
	area->first_ticks = area->last_ticks = first->begin_ticks;
	area->first_node = area->last_node = thread->current;
	if (thread->transfers)
		last->head.next = area->head.self;
	thread->transfers = area->head.self;
	return area;
}

static uint8_t *put_request(uint8_t *at, struct log_transfers *area, const struct transfer *transfer)
{
	const uint32_t shift = live.log->slice_shift;
	const int64_t step = ((int64_t)transfer->node - (int64_t)area->last_node) / (int64_t)LOG_NODE_STEP;

	area->last_node = transfer->node;
	at = varint_put(at, (transfer->begin_ticks >> shift) - (transfer->started_ticks >> shift));
	return varint_put(at, zigzag(step));
}

void transfer_write(struct log_thread *thread, const struct transfer *transfer)
{
	const uint32_t shift = live.log->slice_shift;
	const uint64_t begin_ticks = transfer->begin_ticks;
	struct log_transfers *area = log_at(live.log, thread->transfers);
	uint8_t *at;

	if (unlikely(live.log->transfers_end_ticks)) {
		transfer_lost(transfer->flags & LOG_TRANSFER_REQUEST ? transfer->started_ticks : begin_ticks);
		return;
	}
	if (unlikely(!thread->transfers || area->head.used_bytes + LOG_TRANSFER_MAX_BYTES > area->head.bytes))
		area = new_area(thread, transfer);
	if (unlikely(!area)) {
		transfer_lost(transfer->flags & LOG_TRANSFER_REQUEST ? transfer->started_ticks : begin_ticks);
		return;
	}
	at = (uint8_t *)area + area->head.used_bytes;
	at = varint_put(at, (uint64_t)transfer->route << LOG_TRANSFER_SHIFT | transfer->flags);
	at = varint_put(at, (begin_ticks >> shift) - (area->last_ticks >> shift));
	at = varint_put(at, (transfer->end_ticks >> shift) - (begin_ticks >> shift));
	at = varint_put(at, transfer->detail);
	at = varint_put(at, transfer->sized_bytes);
	if (transfer->flags & LOG_TRANSFER_REQUEST)
		at = put_request(at, area, transfer);
	area->last_ticks = begin_ticks;
	area->nr_transfers++;
	__atomic_store_n(&area->head.used_bytes, (uint64_t)(at - (uint8_t *)area), __ATOMIC_RELEASE);
}
