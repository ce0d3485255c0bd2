/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The log line of InsideMe for python, which AnalyzeMe reads:
 * rank//size//@function//in//out//in//out//field, seconds since 1970 and MiB of RSS at the entry and the
 * exit of each recorded call, in the order of exits.
 */
#include "analyzer/formats/export.h"

#include <stdlib.h>

#include "analyzer/calls/slices.h"
#include "analyzer/read/fields.h"

/* The format knows no escapes: "//" is between the values, and a line is a call. */
static void write_name(FILE *out, const char *name)
{
	for (; *name; name++)
		if (name[0] != '/' || name[1] != '/')
			putc((unsigned char)*name < ' ' ? ' ' : *name, out);
}

static void write_call(FILE *out, const struct slice *slice)
{
	struct process *process = slice->thread->process;
	const struct function *function = slice->node->function;

	fprintf(out, "%d//%d//@", process->header.rank < 0 ? 0 : process->header.rank,
		process->header.nr_ranks < 1 ? 1 : process->header.nr_ranks);
	write_name(out, function->name);
	fprintf(out, "//%.3f//%.3f//%.3f//%.3f//", export_seconds(process->model, slice->start),
		export_seconds(process->model, slice->end),
		export_rss_before(slice), export_rss_after(slice));
	write_name(out, function->field);
	putc('\n', out);
}

int export_insideme(struct report *report)
{
	struct slice_reader *reader;
	struct whole_file file;
	struct slice slice;

	if (fields_apply(report->model, report->options->fields) < 0 || !export_open(&file, report->options))
		return EXIT_FAILURE;
	reader = slices_open_all(report->model);
	while (slices_next(reader, &slice))
		if (slice.node->function &&
		    export_wants(report, slice.node->function, slice.start, slice.end))
			write_call(file.out, &slice);
	slices_close(reader);
	return export_close(&file);
}
