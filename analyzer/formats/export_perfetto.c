/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Perfetto's trace: packets of protocol buffers. Each track is a sequence with names by number and a clock
 * of its own, whose timestamps are differences: a call takes some 25 bytes. Field numbers are those of
 * https://github.com/google/perfetto/tree/main/protos/perfetto/trace.
 */
#include "analyzer/formats/export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/formats/protobuf.h"
#include "analyzer/formats/trace.h"
#include "analyzer/model/tree.h"

#define SIZE		(250u << 20)
#define CALL_BYTES	29
#define LEFT_OUT_BYTES	40

enum { TRACE_PACKET = 1 };
enum {	/* TracePacket */
	PACKET_CLOCKS = 6, PACKET_TIME = 8, PACKET_SEQUENCE = 10, PACKET_EVENT = 11, PACKET_INTERNED = 12,
	PACKET_FLAGS = 13, PACKET_CLOCK = 58, PACKET_DEFAULTS = 59, PACKET_TRACK = 60,
};
enum { FLAG_CLEARED = 1, FLAG_NEEDS_STATE = 2 };
enum { CLOCKS_CLOCK = 1, CLOCK_ID = 1, CLOCK_TIME = 2, CLOCK_IS_INCREMENTAL = 3 };
enum { CLOCK_REALTIME = 1, CLOCK_BOOT = 6, CLOCK_DELTA = 64 };
enum { DEFAULTS_EVENT = 11, DEFAULTS_CLOCK = 58 };
enum { INTERNED_EVENT_NAME = 2, INTERNED_ID = 1, INTERNED_NAME = 2 };
enum {	/* TrackEvent */
	EVENT_ANNOTATION = 4, EVENT_TYPE = 9, EVENT_NAME_ID = 10, EVENT_UUID = 11, EVENT_CATEGORY = 22,
	EVENT_NAME = 23, EVENT_DOUBLE = 44,
};
enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };
enum { ANNOTATION_UINT = 3, ANNOTATION_TEXT = 6, ANNOTATION_NAME = 10 };
enum {	/* TrackDescriptor and what it holds */
	TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_THREAD = 4, TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
	PROCESS_PID = 1, PROCESS_NAME = 6, PROCESS_LABEL = 8, THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5,
	COUNTER_UNIT = 3, COUNTER_UNIT_NAME = 6, UNIT_SIZE_BYTES = 3,
};
enum { UUID_PROCESS = 1, UUID_TRACK = 2, UUID_COUNTER = 3 };

#define ANY_SEQUENCE	1u		/* of what is on no track of calls; tracks have those from 2 on */

/* The state of a track's sequence. */
struct sequence {
	uint64_t parent;		/* track of its thread, for instants */
	uint32_t pid, tid;
	int64_t time;			/* of its last packet */
	uint32_t *names;		/* [number of a function]: its number here; 0: none yet */
	uint32_t nr_names;
};

struct perfetto {
	FILE *out;
	size_t nr_functions;
	struct row_text packet, event, inner, part, file;
	struct sequence *sequences;
	size_t nr_sequences;
};

static uint64_t uuid_of(unsigned int kind, uint32_t number)
{
	return (uint64_t)kind << 32 | number;
}

static void end_packet(struct perfetto *to)
{
	protobuf_message(&to->file, TRACE_PACKET, &to->packet);
	fwrite_unlocked(to->file.bytes, 1, to->file.used, to->out);
	to->file.used = 0;
}

/* ---- tracks ---- */

static void add_descriptor(struct perfetto *to, uint32_t sequence)
{
	protobuf_message(&to->packet, PACKET_TRACK, &to->event);
	protobuf_number(&to->packet, PACKET_SEQUENCE, sequence);
	end_packet(to);
}

static void add_process(struct perfetto *to, const struct process *process)
{
	uint32_t pid = trace_pid(process);

	protobuf_number(&to->event, TRACK_UUID, uuid_of(UUID_PROCESS, pid));
	protobuf_number(&to->inner, PROCESS_PID, pid);
	protobuf_text(&to->inner, PROCESS_NAME, trace_process_name(process));
	protobuf_text(&to->inner, PROCESS_LABEL, trace_process_label(process));
	protobuf_message(&to->event, TRACK_PROCESS, &to->inner);
	add_descriptor(to, ANY_SEQUENCE);
}

/* The thread's first track is the thread itself; the others are below it. */
static void describe_track(struct perfetto *to, const struct track *track, uint32_t sequence)
{
	struct sequence *of = &to->sequences[track->number];

	protobuf_number(&to->event, TRACK_UUID, uuid_of(UUID_TRACK, track->number));
	if (track->lane) {
		for (size_t i = track->number; i-- > 0 && !of->parent;)
			if (to->sequences[i].pid == track->pid && to->sequences[i].tid == track->tid)
				of->parent = to->sequences[i].parent;
		protobuf_text(&to->event, TRACK_NAME, track->name);
		protobuf_number(&to->event, TRACK_PARENT, of->parent);
	} else {
		of->parent = uuid_of(UUID_TRACK, track->number);
		protobuf_number(&to->inner, THREAD_PID, track->pid);
		protobuf_number(&to->inner, THREAD_TID, track->tid);
		protobuf_text(&to->inner, THREAD_NAME, track->name);
		protobuf_message(&to->event, TRACK_THREAD, &to->inner);
		protobuf_number(&to->event, TRACK_PARENT, uuid_of(UUID_PROCESS, track->pid));
	}
	add_descriptor(to, sequence);
}

static void add_clock(struct perfetto *to, uint32_t id, uint64_t time, bool is_incremental)
{
	protobuf_number(&to->part, CLOCK_ID, id);
	protobuf_number(&to->part, CLOCK_TIME, time);
	if (is_incremental)
		protobuf_number(&to->part, CLOCK_IS_INCREMENTAL, 1);
	protobuf_message(&to->inner, CLOCKS_CLOCK, &to->part);
}

/* Its clock begins with the run; its events are on this track, unless they say otherwise. */
static void begin_sequence(struct perfetto *to, uint32_t sequence, uint64_t uuid)
{
	add_clock(to, CLOCK_BOOT, 0, false);
	add_clock(to, CLOCK_DELTA, 0, true);
	protobuf_message(&to->packet, PACKET_CLOCKS, &to->inner);
	protobuf_number(&to->packet, PACKET_SEQUENCE, sequence);
	protobuf_number(&to->packet, PACKET_FLAGS, FLAG_CLEARED);
	protobuf_number(&to->inner, DEFAULTS_CLOCK, CLOCK_DELTA);
	protobuf_number(&to->part, EVENT_UUID, uuid);
	protobuf_message(&to->inner, DEFAULTS_EVENT, &to->part);
	protobuf_message(&to->packet, PACKET_DEFAULTS, &to->inner);
	end_packet(to);
}

static void add_track(void *of, const struct track *track)
{
	struct perfetto *to = of;
	uint32_t sequence = ANY_SEQUENCE + 1 + track->number;

	APPEND(to->sequences, to->nr_sequences) = (struct sequence){
		.pid = track->pid,
		.tid = track->tid,
		.names = xcalloc(to->nr_functions, sizeof(uint32_t)),
	};
	describe_track(to, track, sequence);
	begin_sequence(to, sequence, uuid_of(UUID_TRACK, track->number));
}

/* ---- calls ---- */

static void intern(struct perfetto *to, struct sequence *sequence, const struct function *function)
{
	sequence->names[function->number] = ++sequence->nr_names;
	protobuf_number(&to->part, INTERNED_ID, sequence->nr_names);
	protobuf_text(&to->part, INTERNED_NAME, export_name(function));
	protobuf_message(&to->inner, INTERNED_EVENT_NAME, &to->part);
	protobuf_message(&to->packet, PACKET_INTERNED, &to->inner);
}

/* The packet of to->event, an event of a track's sequence. */
static void end_event(struct perfetto *to, const struct track *track, int64_t time)
{
	struct sequence *sequence = &to->sequences[track->number];

	time = time > sequence->time ? time : sequence->time;
	protobuf_number(&to->packet, PACKET_TIME, (uint64_t)(time - sequence->time));
	protobuf_number(&to->packet, PACKET_SEQUENCE, ANY_SEQUENCE + 1 + track->number);
	protobuf_number(&to->packet, PACKET_FLAGS, FLAG_NEEDS_STATE);
	protobuf_message(&to->packet, PACKET_EVENT, &to->event);
	sequence->time = time;
	end_packet(to);
}

static void begin_call(void *of, const struct track *track, const struct trace_call *call)
{
	struct perfetto *to = of;
	struct sequence *sequence = &to->sequences[track->number];
	const struct function *function = call->node->function;

	if (!sequence->names[function->number])
		intern(to, sequence, function);
	protobuf_number(&to->event, EVENT_TYPE, TYPE_BEGIN);
	protobuf_number(&to->event, EVENT_NAME_ID, sequence->names[function->number]);
	end_event(to, track, call->begin);
}

static void annotate(struct perfetto *to, const char *name, uint64_t number, const char *text)
{
	protobuf_text(&to->inner, ANNOTATION_NAME, name);
	if (text)
		protobuf_text(&to->inner, ANNOTATION_TEXT, text);
	else
		protobuf_number(&to->inner, ANNOTATION_UINT, number);
	protobuf_message(&to->event, EVENT_ANNOTATION, &to->inner);
}

/* A call that was open when the log ended has no end. */
static void end_call(void *of, const struct track *track, const struct trace_call *call, int64_t time,
		     enum trace_end how)
{
	struct perfetto *to = of;

	if (how == TRACE_IS_OPEN)
		return;
	protobuf_number(&to->event, EVENT_TYPE, TYPE_END);
	if (call->left_out_calls) {
		annotate(to, "shorter calls", call->left_out_calls, NULL);
		annotate(to, "shorter ns", (uint64_t)call->left_out_ns, NULL);
	}
	if (how != TRACE_RETURNS)
		annotate(to, "end", 0, how == TRACE_BREAKS ? "did not return" : "goes on in another part");
	end_event(to, track, time);
}

/* ---- instants and counters ---- */

static void end_other(struct perfetto *to, int64_t time)
{
	protobuf_number(&to->packet, PACKET_TIME, time > 0 ? (uint64_t)time : 0);
	protobuf_number(&to->packet, PACKET_CLOCK, CLOCK_BOOT);
	protobuf_number(&to->packet, PACKET_SEQUENCE, ANY_SEQUENCE);
	protobuf_message(&to->packet, PACKET_EVENT, &to->event);
	end_packet(to);
}

/* That of its thread, if that has one. */
static uint64_t instant_track(const struct perfetto *to, const struct trace_instant *instant, uint32_t pid)
{
	for (size_t i = 0; instant->tid && i < to->nr_sequences; i++)
		if (to->sequences[i].pid == pid && to->sequences[i].tid == instant->tid)
			return to->sequences[i].parent;
	return uuid_of(UUID_PROCESS, pid);
}

static void add_instant(void *of, const struct trace_instant *instant)
{
	struct perfetto *to = of;

	protobuf_number(&to->event, EVENT_TYPE, TYPE_INSTANT);
	protobuf_number(&to->event, EVENT_UUID, instant_track(to, instant, trace_pid(instant->process)));
	protobuf_text(&to->event, EVENT_CATEGORY, instant->kind);
	protobuf_text(&to->event, EVENT_NAME, instant->name[0] ? instant->name : instant->kind);
	if (instant->text)
		annotate(to, "text", 0, instant->text);
	end_other(to, instant->time);
}

static void begin_counter(void *of, const struct trace_counter *counter)
{
	struct perfetto *to = of;

	protobuf_number(&to->event, TRACK_UUID, uuid_of(UUID_COUNTER, counter->number));
	protobuf_number(&to->event, TRACK_PARENT, uuid_of(UUID_PROCESS, trace_pid(counter->process)));
	protobuf_text(&to->event, TRACK_NAME, counter->name);
	if (strcmp(counter->unit, "bytes") == 0)
		protobuf_number(&to->inner, COUNTER_UNIT, UNIT_SIZE_BYTES);
	else if (counter->unit[0])
		protobuf_text(&to->inner, COUNTER_UNIT_NAME, counter->unit);
	protobuf_message(&to->event, TRACK_COUNTER, &to->inner);
	add_descriptor(to, ANY_SEQUENCE);
}

static void add_value(void *of, const struct trace_counter *counter, int64_t time, double value)
{
	struct perfetto *to = of;

	if (!isfinite(value))
		return;
	protobuf_number(&to->event, EVENT_TYPE, TYPE_COUNTER);
	protobuf_number(&to->event, EVENT_UUID, uuid_of(UUID_COUNTER, counter->number));
	protobuf_double(&to->event, EVENT_DOUBLE, value);
	end_other(to, time);
}

/* ---- the file ---- */

static void write_head(struct perfetto *to, const struct trace *trace)
{
	const struct model *model = trace->model;

	add_clock(to, CLOCK_BOOT, 0, false);
	add_clock(to, CLOCK_REALTIME, model->start_realtime_ns, false);
	protobuf_message(&to->packet, PACKET_CLOCKS, &to->inner);
	protobuf_number(&to->packet, PACKET_SEQUENCE, ANY_SEQUENCE);
	protobuf_number(&to->packet, PACKET_FLAGS, FLAG_CLEARED);
	end_packet(to);
	for (size_t i = 0; i < model->nr_processes; i++)
		add_process(to, model->processes[i]);
}

static void release(struct perfetto *to)
{
	struct row_text *texts[] = { &to->packet, &to->event, &to->inner, &to->part, &to->file };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		row_text_release(texts[i]);
	for (size_t i = 0; i < to->nr_sequences; i++)
		free(to->sequences[i].names);
	free(to->sequences);
}

static const struct trace_format format = {
	.name = "perfetto",
	.most_bytes = SIZE,
	.call_bytes = CALL_BYTES,
	.left_out_bytes = LEFT_OUT_BYTES,
	.track = add_track,
	.begin = begin_call,
	.end = end_call,
};

int export_perfetto(struct report *report)
{
	struct perfetto to = { .nr_functions = functions_count(&report->model->tables->functions) };
	struct whole_file file;
	struct trace trace;
	int status = trace_open(&trace, report, &format, &to, 0);

	if (status || !export_open(&file, report->options))
		return status ?: EXIT_FAILURE;
	to.out = file.out;
	write_head(&to, &trace);
	trace_calls(&trace);
	trace_counters(report->model, begin_counter, add_value, &to);
	trace_instants(&trace, add_instant);
	trace_close(&trace);
	release(&to);
	return export_close(&file);
}
