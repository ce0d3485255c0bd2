/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all exporters need. */
#include "export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

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
	error("cannot write %s: %s", report->options->output ? report->options->output : "the report", strerror(errno));
	return EXIT_FAILURE;
}

double export_seconds(const struct model *model, int64_t time)
{
	return ((double)model->start_realtime_ns + (double)time) / 1e9;
}
