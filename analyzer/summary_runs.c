/* SPDX-License-Identifier: GPL-3.0-or-later */
/* First page of several runs: each in a line, so that it is seen what was added up. */
#include "summary.h"

#include <stdlib.h>

#include "error.h"

#define RUNS_SHOWN 12

struct run_line {
	const struct process *first;
	int64_t begin, end;
	uint64_t calls;
	double functions_ns;
};

static void add_process(struct run_line *line, const struct process *process)
{
	if (!line->first) {
		line->first = process;
		line->begin = process->start;
		line->end = process->last;
	}
	if (line->end < process->last)
		line->end = process->last;
	line->calls += process->calls;
	line->functions_ns += process->functions_ns;
}

static const char *end_text(struct document *document, const struct process *process)
{
	char text[256];

	while (process_next_image(process))
		process = process_next_image(process);
	return document_text(document, "%s", process_end_text(process, text, sizeof(text)));
}

void summary_runs(struct document *document, const struct model *model)
{
	struct run_line *lines = xcalloc(model->nr_runs, sizeof(*lines));
	const char *all = "";

	for (size_t i = 0; i < model->nr_processes; i++)
		add_process(&lines[model->processes[i]->run], model->processes[i]);
	for (size_t i = 0; i < model->nr_runs && i < RUNS_SHOWN; i++) {
		const struct run_line *line = &lines[i];
		const char *text = line->first ? document_text(document, "%8s in functions  %6s calls  lasted %8s  %s  %s",
			summary_number(document, UNIT_NS, line->functions_ns > 0 ? line->functions_ns : 0),
			summary_number(document, UNIT_COUNT, (double)line->calls),
			summary_number(document, UNIT_NS, (double)(line->end - line->begin)),
			model->run_names[i], end_text(document, line->first)) :
			document_text(document, "nothing to show  %s", model->run_names[i]);

		all = document_text(document, "%s%s%s", all, i ? "\n" : "", text);
	}
	if (model->nr_runs > RUNS_SHOWN)
		all = document_text(document, "%s\nand %zu more", all, model->nr_runs - RUNS_SHOWN);
	document_add(document, "Runs", all)->apart = true;
	free(lines);
}
