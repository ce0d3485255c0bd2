/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a program reports itself, in a built log. */
#include "test/unit/build_marks.h"

#include <string.h>

enum { CONVERGED = 1, TIMEOUT, SOLVE, RESIDUAL, WORLD };

static uint64_t at(const struct build *build, double ms)
{
	return BUILD_START_TICKS + (uint64_t)(ms * 1e6 / build->tick_ns);
}

static void label(struct build *build, uint32_t number, const char *text)
{
	uint32_t text_bytes = (uint32_t)strlen(text) + 1;
	struct log_label *record =
		build_record(build, sizeof(*record) + text_bytes, LOG_RECORD_LABEL, at(build, 0));

	record->number = number;
	record->text_bytes = text_bytes;
	memcpy(record + 1, text, text_bytes);
}

static void value(struct build *build, double ms, double real)
{
	struct log_counter *record = build_record(build, sizeof(*record), LOG_RECORD_COUNTER, at(build, ms));

	record->label = RESIDUAL;
	record->newest_ticks = at(build, ms);
	record->nr_values = 1;
	memcpy(&record->last, &real, sizeof(real));
}

static void mark(struct build *build, const struct log_mark *like, double ms, const char *text)
{
	uint32_t text_bytes = text ? (uint32_t)strlen(text) + 1 : 0;
	struct log_mark *record =
		build_record(build, sizeof(*record) + text_bytes, LOG_RECORD_MARK, at(build, ms));
	struct log_record head = record->record;

	*record = *like;
	record->record = head;
	record->text_bytes = text_bytes;
	if (text)
		memcpy(record + 1, text, text_bytes);
}

void build_marks(struct build *build, const struct log_thread *thread, const struct log_node *node,
		 const char *message)
{
	struct log_mark like = { .mark = LOG_MARK_INSTANT, .label = CONVERGED, .thread = thread->head.self,
				 .node = build_ref(build, node) };
	struct log_span *span;
	struct log_timer *timer;

	label(build, CONVERGED, "converged");
	label(build, TIMEOUT, "timeout");
	label(build, SOLVE, "solve");
	label(build, RESIDUAL, "residual");
	mark(build, &like, 700, NULL);
	like.mark = LOG_MARK_FAILURE;
	like.label = TIMEOUT;
	mark(build, &like, 800, message);
	span = build_record(build, sizeof(*span), LOG_RECORD_SPAN, at(build, 400));
	span->start_ticks = at(build, 100);
	span->paused_ticks = at(build, 50) - at(build, 0);
	span->label = SOLVE;
	span->thread = like.thread;
	span->node = like.node;
	timer = build_record(build, sizeof(*timer), LOG_RECORD_TIMER, at(build, 400));
	timer->label = SOLVE;
	timer->nr_spans = 2;
	timer->timer_ticks = at(build, 250.01) - at(build, 0);
	timer->paused_ticks = span->paused_ticks;
	timer->least_ticks = at(build, 0.01) - at(build, 0);
	timer->most_ticks = at(build, 250) - at(build, 0);
	timer->squares[0] = timer->least_ticks * timer->least_ticks + timer->most_ticks * timer->most_ticks;
	value(build, 200, 1.5);
	value(build, 600, 0.25);
}

struct log_messages *build_messages(struct build *build, const struct log_thread *thread,
				    const struct log_node *node, int peer)
{
	struct log_messages *record;

	label(build, WORLD, "world");
	record = build_record(build, sizeof(*record), LOG_RECORD_MESSAGES, at(build, 300));
	record->thread = thread->head.self;
	record->node = build_ref(build, node);
	record->label = WORLD;
	record->peer = peer;
	record->direction = LOG_MESSAGE_SENT;
	record->nr_calls = record->nr_messages = record->nr_sized = 100;
	record->bytes = 100 * 4096;
	record->call_ticks = at(build, 4) - at(build, 0);
	record->most_ticks = at(build, 0.5) - at(build, 0);
	record->least_ticks = at(build, 0.02) - at(build, 0);
	record->size_bytes = 4096 + 1;
	record->number = ++build->header->nr_routes;
	return record;
}

static uint8_t *put(uint8_t *to, uint64_t value)
{
	for (; value > 127; value >>= 7)
		*to++ = (uint8_t)(value | 128);
	*to++ = (uint8_t)value;
	return to;
}

void build_transfers(struct build *build, struct log_thread *thread, const struct build_transfer *transfers,
		     int nr_transfers)
{
	const uint32_t shift = build->header->slice_shift;
	struct log_transfers *area =
		build_area(build, LOG_AREA_TRANSFERS, thread->head.self, LOG_AREA_ALIGN, sizeof(*area));
	uint8_t *to = (uint8_t *)(area + 1);
	uint64_t before = 0;

	for (int i = 0; i < nr_transfers; i++) {
		const struct build_transfer *of = &transfers[i];
		const uint64_t begin = at(build, of->begin_ms) >> shift;

		to = put(to, (uint64_t)of->route->number << LOG_TRANSFER_SHIFT | of->flags);
		to = put(to, begin - before);
		to = put(to, (at(build, of->begin_ms + of->ms) >> shift) - begin);
		to = put(put(to, of->detail), (uint64_t)of->bytes + 1);
		if (of->flags & LOG_TRANSFER_REQUEST)
			to = put(put(to, begin - (at(build, of->started_ms) >> shift)), 0);
		if (of->node)
			area->first_node = build_ref(build, of->node);
		before = begin;
	}
	area->head.used_bytes = (uint64_t)(to - (uint8_t *)area);
	area->nr_transfers = (uint32_t)nr_transfers;
}
