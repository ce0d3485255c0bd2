/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * speedscope's file: single calls over time, a profile for each track; then sums by call path, a profile
 * for time, calls and memory each. Calls of a track stand together in the file, so they are kept in memory
 * until all are known.
 */
#include "analyzer/formats/export.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/formats/trace.h"
#include "analyzer/formats/weights.h"
#include "analyzer/model/tree.h"
#include "analyzer/model/tree_walk.h"
#include "analyzer/tables/table_text.h"

#define SIZE		(25u << 20)	/* opens in 5 s */
#define CALL_BYTES	86		/* of its two events */

/* The profile of a track while it grows. */
struct track_text {
	struct row_text events;
	char *name;
	int64_t last;			/* time of its last event: they may not go back */
};

struct speedscope {
	const struct report *report;
	struct row_text out;		/* profiles of calls */
	struct row_text sums;		/* and of sums by call path */
	struct row_text frames;
	uint32_t *frame_of;		/* [number of a function] + 1; 0: it has none yet */
	uint32_t nr_frames;
	uint32_t deeper;		/* likewise of "(deeper)" */
	struct track_text *tracks;
	size_t nr_tracks;
};

/* ---- frames ---- */

static uint32_t new_frame(struct speedscope *to, const char *name, const struct function *function)
{
	row_add_json_text(&to->frames, to->nr_frames ? ",\n{\"name\":" : "{\"name\":", name);
	if (function && function->file) {
		row_add_json_text(&to->frames, ",\"file\":", function->file);
		row_add_json_integer(&to->frames, ",\"line\":", function->line);
	}
	row_add_char(&to->frames, '}');
	return ++to->nr_frames;
}

static uint32_t frame_of(struct speedscope *to, const struct function *function)
{
	uint32_t *frame = &to->frame_of[function->number];

	if (!*frame)
		*frame = new_frame(to, function->name, function);
	return *frame - 1;
}

static uint32_t deeper_frame(struct speedscope *to)
{
	if (!to->deeper)
		to->deeper = new_frame(to, DEEPER, NULL);
	return to->deeper - 1;
}

/* ---- calls over time ---- */

static void add_track(void *to, const struct track *track)
{
	struct speedscope *speedscope = to;
	char who[64];

	snprintf(who, sizeof(who), " %u/%u: ", track->process->header.pid, track->tid);
	APPEND(speedscope->tracks, speedscope->nr_tracks) = (struct track_text){
		.name = xasprintf("%s%s%s", trace_process_name(track->process), who, track->name),
		.last = INT64_MIN,
	};
}

static void add_event(struct speedscope *to, const struct track *track, const struct trace_call *call,
		      int64_t time, bool is_begin)
{
	struct track_text *text = &to->tracks[track->number];
	uint32_t frame;

	if (call->depth > PATHS_DEPTH)
		return;
	frame = call->depth == PATHS_DEPTH ? deeper_frame(to) : frame_of(to, call->node->function);
	if (time > text->last)
		text->last = time;
	row_add_text(&text->events, text->events.used ? "," : "");
	row_add_text(&text->events, is_begin ? "{\"type\":\"O\"" : "{\"type\":\"C\"");
	row_add_json_integer(&text->events, ",\"frame\":", frame);
	row_add_json_integer(&text->events, ",\"at\":", text->last);
	row_add_text(&text->events, "}\n");
}

static void begin_call(void *to, const struct track *track, const struct trace_call *call)
{
	add_event(to, track, call, call->begin, true);
}

/* The format knows no call without an end: an open one ends with its process or, if that is not known, with
 * the run. */
static void end_call(void *to, const struct track *track, const struct trace_call *call, int64_t time,
		     enum trace_end how)
{
	enum process_end end = track->process->end_kind;
	bool is_unknown = end == END_SILENT || end == END_UNKNOWN || end == END_RUNNING;

	if (how == TRACE_IS_OPEN && is_unknown)
		time = track->process->model->end;
	add_event(to, track, call, time, false);
}

/* {"type":"evented","name":"main","unit":"nanoseconds","startValue":0,"endValue":12 */
static void begin_profile(struct row_text *out, const char *type, const char *name, const char *unit,
			  int64_t end)
{
	row_add_json_text(out, out->used ? ",\n{\"type\":" : "{\"type\":", type);
	row_add_json_text(out, ",\"name\":", name);
	row_add_json_text(out, ",\"unit\":", unit);
	row_add_json_integer(out, ",\"startValue\":0,\"endValue\":", end);
}

static void add_track_profiles(struct speedscope *to, const struct model *model)
{
	for (size_t i = 0; i < to->nr_tracks; i++) {
		struct track_text *track = &to->tracks[i];

		if (track->events.used) {
			begin_profile(&to->out, "evented", track->name, "nanoseconds",
				      track->last > model->end ? track->last : model->end);
			row_add_text(&to->out, ",\"events\":[");
			row_add_bytes(&to->out, track->events.bytes, track->events.used);
			row_add_text(&to->out, "]}");
		}
		row_text_release(&track->events);
		free(track->name);
	}
	free(to->tracks);
}

static const struct trace_format format = {
	.name = "speedscope",
	.most_bytes = SIZE,
	.call_bytes = CALL_BYTES,
	.track = add_track,
	.begin = begin_call,
	.end = end_call,
};

/* ---- sums by call path ---- */

static void add_stack(struct speedscope *to, const struct tree_node *node)
{
	const struct tree_node *above[PATHS_DEPTH];
	const bool is_too_deep = node->depth > PATHS_DEPTH;
	uint32_t nr = 0;

	for (; node->function; node = node->parent)
		if (node->depth <= PATHS_DEPTH)
			above[nr++] = node;
	row_add_char(&to->sums, '[');
	for (uint32_t i = nr; i-- > 0;) {
		row_add_integer(&to->sums, frame_of(to, above[i]->function));
		row_add_text(&to->sums, i ? "," : "");
	}
	if (is_too_deep)
		row_add_json_integer(&to->sums, ",", deeper_frame(to));
	row_add_char(&to->sums, ']');
}

static void add_weight_profile(struct speedscope *to, const struct weight *weight)
{
	const struct model *model = to->report->model;
	struct row_text values = { 0 };
	int64_t sum = 0;

	for (struct tree_node *node = tree_next(model->root); node; node = tree_next(node))
		sum += weight_shown(weight, &node);
	if (!sum)
		return;
	begin_profile(&to->sums, "sampled", weight->title,
		      weight->unit == UNIT_NS ? "nanoseconds" : weight->unit == UNIT_BYTES ? "bytes" : "none",
		      sum);
	row_add_text(&to->sums, ",\"samples\":[");
	for (struct tree_node *node = tree_next(model->root); node; node = tree_next(node)) {
		const struct tree_node *path = node;
		int64_t value = weight_shown(weight, &node);

		if (!value)
			continue;
		if (values.used) {
			row_add_char(&values, ',');
			row_add_char(&to->sums, ',');
		}
		row_add_integer(&values, value);
		add_stack(to, path);
	}
	row_add_text(&to->sums, "],\"weights\":[");
	row_add_bytes(&to->sums, values.bytes, values.used);
	row_add_text(&to->sums, "]}");
	row_text_release(&values);
}

/* ---- the file ---- */

/* Return: what is shown, to be freed; NULL after an error(). A saved profile has sums alone. */
static char *add_calls(struct speedscope *to, struct report *report)
{
	struct trace trace;
	char *shown;

	if (model_has_saved(report->model)) {
		warning("a saved profile has sums only: no calls over time");
		return xstrdup("sums by call path");
	}
	if (trace_open(&trace, report, &format, to, to->sums.used) != 0)
		return NULL;
	trace_calls(&trace);
	shown = xstrdup(trace_shown_text(&trace));
	trace_close(&trace);
	add_track_profiles(to, report->model);
	return shown;
}

static void write_text(const struct row_text *text, FILE *out)
{
	if (text->used)
		fwrite(text->bytes, 1, text->used, out);
}

static void add_doubt(void *name, const char *text)
{
	row_add_text(name, "; in doubt: ");
	row_add_text(name, text);
}

/* Its name is the only place for what is said of the whole file. The caller frees it. */
static char *name_of_file(const struct report *report, const char *shown)
{
	struct row_text name = { 0 };

	row_add_text(&name, report_program(report));
	row_add_text(&name, ": ");
	row_add_text(&name, shown);
	export_doubts(report->model, add_doubt, &name);
	row_add_char(&name, '\0');
	return name.bytes;
}

static void write_all(struct speedscope *to, FILE *out, const char *shown)
{
	struct row_text text = { 0 };
	char *name = name_of_file(to->report, shown);

	row_add_json_text(&text,
			  "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"name\":",
			  name);
	row_add_json_text(&text, ",\"exporter\":", "InsideMe " INSIDEME_VERSION);
	row_add_text(&text, ",\"activeProfileIndex\":0,\"profiles\":[");
	row_end(&text, out);
	write_text(&to->out, out);
	fputs(to->out.used && to->sums.used ? ",\n" : "", out);
	write_text(&to->sums, out);
	fputs("],\"shared\":{\"frames\":[\n", out);
	write_text(&to->frames, out);
	fputs("]}}\n", out);
	row_text_release(&text);
	free(name);
}

int export_speedscope(struct report *report)
{
	struct speedscope to = {
		.report = report,
		.frame_of = xcalloc(functions_count(&report->model->tables->functions), sizeof(uint32_t)),
	};
	struct whole_file file;
	int status = EXIT_FAILURE;
	char *shown;

	export_sources(report->model);
	for (size_t i = 0; i < NR_WEIGHTS; i++)
		if (weights[i].is_known(report))
			add_weight_profile(&to, &weights[i]);
	shown = add_calls(&to, report);
	if (!shown)
		status = EXIT_USAGE;
	else if (!to.out.used && !to.sums.used)
		error("there are no calls, samples or allocations that speedscope could show");
	else if (export_open(&file, report->options)) {
		write_all(&to, file.out, shown);
		status = export_close(&file);
	}
	free(shown);
	free(to.frame_of);
	row_text_release(&to.out);
	row_text_release(&to.sums);
	row_text_release(&to.frames);
	return status;
}
