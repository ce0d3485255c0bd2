/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memory_profiler's file: words separated by blanks, a record a line. */
#include "analyzer/formats/export.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/calls/slices.h"
#include "analyzer/model/process_usage.h"

#define MIB		1048576.0

static void write_samples(FILE *out, struct process *process, bool is_first)
{
	const struct model *model = process->model;
	const struct rowset *rows = process_rowset(process, "process");
	int column = rows ? rowset_column(rows, "rss_bytes") : -1;

	for (size_t row = 0; column >= 0 && row < rows->nr_rows; row++) {
		uint64_t bytes = rowset_value(rows, row, (uint32_t)column);
		int64_t time = row_time(process, rows, row);

		if (bytes == LOG_NONE || time < model->from || time > model->to)
			continue;
		if (is_first)
			fprintf(out, "MEM %.6f %.4f\n", (double)bytes / MIB, export_seconds(model, time));
		else
			fprintf(out, "CHLD %u %.6f %.4f\n", process->header.pid, (double)bytes / MIB,
				export_seconds(model, time));
	}
}

static int depth_of(const struct tree_node *node)
{
	int depth = 0;

	while (node->parent && node->parent->function) {
		node = node->parent;
		depth++;
	}
	return depth;
}

static void write_call(FILE *out, const struct slice *slice)
{
	struct process *process = slice->thread->process;
	const struct function *function = slice->node->function;

	fputs("FUNC ", out);
	for (const char *p = function->short_name ? function->short_name : function->name; *p; p++)
		putc(*p == ' ' ? '_' : *p, out);
	fprintf(out, " %.6f %.4f %.6f %.4f %d\n", fmax(export_rss_before(slice), 0),
		export_seconds(process->model, slice->start),
		fmax(export_rss_after(slice), 0),
		export_seconds(process->model, slice->end), depth_of(slice->node));
}

int export_mprof(struct report *report)
{
	struct model *model = report->model;
	struct slice_reader *reader;
	struct whole_file file;
	struct slice slice;
	FILE *out;

	if (!export_open(&file, report->options))
		return EXIT_FAILURE;
	out = file.out;
	fprintf(out, "CMDLINE %s\n",
		model->nr_processes ? model->processes[0]->command : report_program(report));
	for (size_t i = 0; i < model->nr_processes; i++)
		write_samples(out, model->processes[i],
			      model->processes[i]->header.pid == model->processes[0]->header.pid);
	reader = slices_open_all(model);
	while (slices_next(reader, &slice))
		if (export_wants_call(report, &slice))
			write_call(out, &slice);
	slices_close(reader);
	return export_close(&file);
}
