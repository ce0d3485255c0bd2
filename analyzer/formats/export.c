/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For all exporters: the file, names, and which calls are wanted. */
#include "analyzer/formats/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/names.h"
#include "analyzer/base/stream_file.h"
#include "analyzer/calls/slices.h"
#include "analyzer/model/process_usage.h"
#include "analyzer/model/resolve.h"
#include "analyzer/model/selector.h"
#include "analyzer/read/marks_read.h"
#include "analyzer/summary/doubts.h"

#define LEAST_PERCENT	1

bool export_is_compressed(const struct options *options)
{
	const char *path = options->output ?: "";
	size_t length = strlen(path);

	return length > 3 && strcmp(path + length - 3, ".gz") == 0;
}

/* A reader follows it while it grows. Return: 0 or -errno */
static int open_at_once(struct whole_file *file, const char *path)
{
	*file = (struct whole_file){ .out = fopen(path, "we"), .path = path };
	return file->out ? 0 : -errno;
}

static int fail(const char *path, int result)
{
	error("cannot write %s: %s", path ?: "the report", strerror(-result));
	return EXIT_FAILURE;
}

bool export_open(struct whole_file *file, const struct options *options)
{
	const char *path = options->output;
	int result;

	*file = (struct whole_file){ .out = stdout };
	if (!path)
		return true;
	if (stream_path(path)) {
		file->out = stream_open(stream_path(path));
		return file->out || fail(path, -errno) == 0;
	}
	result = options->task == TASK_FOLLOW ? open_at_once(file, path) : whole_file_open(file, path);
	if (result == 0 && export_is_compressed(options)) {
		result = whole_file_compress(file);
		if (result < 0)
			whole_file_close(file, false);
	}
	return result == 0 || fail(path, result) == 0;
}

int export_close(struct whole_file *file)
{
	bool failed = ferror(file->out);
	int result;

	errno = EIO;
	if (file->path)
		result = whole_file_close(file, !failed);
	else
		result = (file->out == stdout ? fflush : fclose)(file->out) == 0 && !failed ? 0 : -errno;
	return result == 0 ? EXIT_SUCCESS : fail(file->path, result);
}

const char *export_name(const struct function *function)
{
	return function->plain_name ?: function->short_name ?: function->name;
}

void export_sources(const struct model *model)
{
	for (size_t i = 0; i < model->nr_known_functions; i++)
		resolve_source(model->functions[i]);
}

void export_doubts(const struct model *model, void (*visit)(void *to, const char *text), void *to)
{
	struct document document = { .view = "quality" };

	doubts_tell(&document, model);
	for (size_t i = 0; i < document.nr_doubts; i++)
		visit(to, document.doubts[i]);
	document_release(&document);
}

static void warn(void *to, const char *text)
{
	warning("in doubt: %s", text);
}

void export_warn(const struct model *model)
{
	export_doubts(model, warn, NULL);
}

double export_seconds(const struct model *model, int64_t time)
{
	return ((double)model->start_realtime_ns + (double)time) / 1e9;
}

static double rss_mib(struct process *process, uint64_t ticks)
{
	struct rowset *rows = process_rowset(process, "process");
	int column = rows ? rowset_column(rows, "rss_bytes") : -1;
	struct memory_reading reading;
	uint64_t bytes = LOG_NONE;

	if (process_memory_at(process, ticks, &reading))
		bytes = reading.rss_bytes;
	else if (column >= 0 && rows->nr_rows)
		bytes = rowset_value(rows, 0, (uint32_t)column);
	return bytes == LOG_NONE ? NAN : (double)bytes / (1 << 20);
}

double export_rss_before(const struct slice *slice)
{
	return slice->has_memory ? (double)slice->rss_before_bytes / (1 << 20)
				 : rss_mib(slice->thread->process, slice->start_ticks);
}

double export_rss_after(const struct slice *slice)
{
	return slice->has_memory ? (double)slice->rss_after_bytes / (1 << 20)
				 : rss_mib(slice->thread->process, slice->end_ticks);
}

static bool is_reported(const struct model *model, int64_t start, int64_t end)
{
	return start <= model->to && end >= model->from;
}

bool export_wants_timer(const struct report *report, const struct timer_span *timer)
{
	const char *pattern = report->options->match;

	return is_reported(report->model, timer->start, timer->end) &&
	       (!pattern || name_matches(pattern, timer->name));
}

bool export_wants(const struct report *report, struct function *function, int64_t start, int64_t end)
{
	const char *pattern = report->options->match;

	return is_reported(report->model, start, end) && (!pattern || selector_matches(pattern, function));
}

bool export_wants_call(const struct report *report, const struct slice *slice)
{
	const struct options *options = report->options;
	const struct model *model = report->model;
	double percent = options->min_percent > 0 ? options->min_percent : LEAST_PERCENT;

	if (!export_wants(report, slice->node->function, slice->start, slice->end))
		return false;
	if (options->match && !(options->min_percent > 0))
		return true;
	return slice->duration_ns >= percent / 100 * (double)(model->to - model->from);
}
