/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Chrome's trace events as JSON, which Perfetto, chrome://tracing, speedscope and Firefox's profiler open.
 * A call is a complete event (X). Times are microseconds with three decimals since the run's begin.
 */
#include "analyzer/formats/export.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyzer/formats/trace.h"
#include "analyzer/tables/table_text.h"

#define SIZE		(100u << 20)
#define CALL_BYTES	68		/* of a line without its name */
#define LEFT_OUT_BYTES	50		/* of its arguments */
#define LANE_TIDS (1u << 22) /* tids of a thread's other tracks are so much more; no tid is as large */

struct chrome {
	FILE *out;
	struct row_text line;
	bool is_first;
};

static void add_us(struct row_text *line, const char *key, int64_t ns)
{
	uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
	char decimals[4] = { '.', (char)('0' + size % 1000 / 100), (char)('0' + size % 100 / 10),
			     (char)('0' + size % 10) };

	row_add_text(line, key);
	if (ns < 0)
		row_add_char(line, '-');
	row_add_integer(line, (int64_t)(size / 1000));
	row_add_bytes(line, decimals, sizeof(decimals));
}

/* {"ph":"X","pid":1,"tid":2 */
static void begin_event(struct chrome *chrome, const char *phase, uint32_t pid, int64_t tid)
{
	struct row_text *line = &chrome->line;

	row_add_text(line, chrome->is_first ? "" : ",");
	chrome->is_first = false;
	row_add_text(line, "{\"ph\":\"");
	row_add_text(line, phase);
	row_add_json_integer(line, "\",\"pid\":", pid);
	if (tid >= 0)
		row_add_json_integer(line, ",\"tid\":", tid);
}

static void end_event(struct chrome *chrome)
{
	row_add_char(&chrome->line, '}');
	row_end(&chrome->line, chrome->out);
}

/* ---- names ---- */

static void add_metadata(struct chrome *chrome, const char *what, uint32_t pid, int64_t tid, const char *name)
{
	begin_event(chrome, "M", pid, tid);
	row_add_json_text(&chrome->line, ",\"name\":", what);
	row_add_json_text(&chrome->line, strcmp(what, "process_labels") == 0 ? ",\"args\":{\"labels\":"
									      : ",\"args\":{\"name\":", name);
	row_add_char(&chrome->line, '}');
	end_event(chrome);
}

static void add_process(struct chrome *chrome, const struct process *process)
{
	uint32_t pid = trace_pid(process);

	add_metadata(chrome, "process_name", pid, -1, trace_process_name(process));
	add_metadata(chrome, "process_labels", pid, -1, trace_process_label(process));
}

static int64_t tid_of(const struct track *track)
{
	return track->tid + (int64_t)track->lane * LANE_TIDS;
}

static void add_track(void *to, const struct track *track)
{
	add_metadata(to, "thread_name", track->pid, tid_of(track), track->name);
}

/* ---- calls ---- */

static void add_call_arguments(struct row_text *line, const struct trace_call *call, enum trace_end how)
{
	static const char *const texts[] = {
		[TRACE_BREAKS] = "did not return", [TRACE_IS_CUT] = "goes on in another part",
		[TRACE_IS_OPEN] = "open at the end",
	};

	if (how == TRACE_RETURNS && !call->left_out_calls)
		return;
	row_add_text(line, ",\"args\":{");
	if (call->left_out_calls) {
		row_add_json_integer(line, "\"shorter calls\":", (int64_t)call->left_out_calls);
		row_add_json_integer(line, ",\"shorter ns\":", (int64_t)call->left_out_ns);
	}
	if (how != TRACE_RETURNS)
		row_add_json_text(line, call->left_out_calls ? ",\"end\":" : "\"end\":", texts[how]);
	row_add_char(line, '}');
}

static void add_call(void *to, const struct track *track, const struct trace_call *call, int64_t time,
		     enum trace_end how)
{
	struct chrome *chrome = to;
	struct row_text *line = &chrome->line;

	begin_event(chrome, "X", track->pid, tid_of(track));
	add_us(line, ",\"ts\":", call->begin);
	add_us(line, ",\"dur\":", time - call->begin);
	row_add_json_text(line, ",\"name\":", export_name(call->node->function));
	add_call_arguments(line, call, how);
	end_event(chrome);
}

/* ---- instants and counters ---- */

static void add_instant(void *to, const struct trace_instant *instant)
{
	struct chrome *chrome = to;
	struct row_text *line = &chrome->line;

	begin_event(chrome, "i", trace_pid(instant->process), instant->tid ?: instant->process->header.pid);
	row_add_text(line, instant->tid ? ",\"s\":\"t\"" : ",\"s\":\"p\"");
	add_us(line, ",\"ts\":", instant->time);
	row_add_json_text(line, ",\"cat\":", instant->kind);
	row_add_json_text(line, ",\"name\":", instant->name[0] ? instant->name : instant->kind);
	if (instant->text) {
		row_add_json_text(line, ",\"args\":{\"text\":", instant->text);
		row_add_char(line, '}');
	}
	end_event(chrome);
}

static void begin_counter(void *to, const struct trace_counter *counter)
{
}

static void add_value(void *to, const struct trace_counter *counter, int64_t time, double value)
{
	struct chrome *chrome = to;
	struct row_text *line = &chrome->line;

	begin_event(chrome, "C", trace_pid(counter->process), -1);
	add_us(line, ",\"ts\":", time);
	row_add_json_text(line, ",\"name\":", counter->name);
	row_add_json_text(line, ",\"args\":{", counter->unit[0] ? counter->unit : "value");
	row_add_char(line, ':');
	row_add_json(line, value_real(UNIT_NONE, value));
	row_add_char(line, '}');
	end_event(chrome);
}

/* ---- the file ---- */

static void write_head(struct chrome *chrome, const struct trace *trace)
{
	struct row_text *line = &chrome->line;

	row_add_text(line, "{\"displayTimeUnit\":\"ns\",\"otherData\":{");
	row_add_json_text(line, "\"recorded by\":", "InsideMe " INSIDEME_VERSION);
	row_add_json_text(line, ",\"program\":", report_program(trace->report));
	row_add_json_integer(line, ",\"ns from 1970 to 0\":", (int64_t)trace->model->start_realtime_ns);
	row_add_text(line, "},\"traceEvents\":[");
	row_end(line, chrome->out);
}

static size_t name_bytes(const struct function *function)
{
	return strlen(export_name(function));
}

static const struct trace_format format = {
	.name = "chrome",
	.most_bytes = SIZE,
	.call_bytes = CALL_BYTES,
	.left_out_bytes = LEFT_OUT_BYTES,
	.name_bytes = name_bytes,
	.track = add_track,
	.end = add_call,
};

int export_chrome(struct report *report)
{
	struct chrome chrome = { .is_first = true };
	struct whole_file file;
	struct trace trace;
	int status = trace_open(&trace, report, &format, &chrome, 0);

	if (status || !export_open(&file, report->options))
		return status ?: EXIT_FAILURE;
	chrome.out = file.out;
	write_head(&chrome, &trace);
	for (size_t i = 0; i < report->model->nr_processes; i++)
		add_process(&chrome, report->model->processes[i]);
	trace_counters(report->model, begin_counter, add_value, &chrome);
	trace_instants(&trace, add_instant);
	trace_calls(&trace);
	fputs("]}\n", chrome.out);
	trace_close(&trace);
	row_text_release(&chrome.line);
	return export_close(&file);
}
