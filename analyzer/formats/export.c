/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all exporters share. */
#include "analyzer/formats/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/names.h"
#include "analyzer/calls/slices.h"

#define LEAST_PERCENT	1

FILE *export_open(const struct report *report)
{
	const char *path = report->options->output;
	FILE *out = path ? fopen(path, "we") : stdout;

	if (!out)
		error("cannot write %s: %s", path, strerror(errno));
	return out;
}

int export_close(const struct report *report, FILE *out)
{
	bool failed = ferror(out);

	if ((report->options->output ? fclose(out) : fflush(out)) == 0 && !failed)
		return EXIT_SUCCESS;
	error("cannot write %s: %s", report->options->output ? report->options->output : "the report",
	      strerror(errno));
	return EXIT_FAILURE;
}

double export_seconds(const struct model *model, int64_t time)
{
	return ((double)model->start_realtime_ns + (double)time) / 1e9;
}

bool export_wants_call(const struct report *report, const struct slice *slice)
{
	const struct options *options = report->options;
	const struct model *model = report->model;
	double percent = options->min_percent > 0 ? options->min_percent : LEAST_PERCENT;

	if (slice->end < model->from || slice->start > model->to)
		return false;
	if (options->match && !name_matches(options->match, slice->node->function->name))
		return false;
	if (options->match && !(options->min_percent > 0))
		return true;
	return slice->duration_ns >= percent / 100 * (double)(model->to - model->from);
}
