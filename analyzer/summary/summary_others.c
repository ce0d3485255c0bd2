/* SPDX-License-Identifier: GPL-3.0-or-later */
/* First page: programs of which something was not recorded. */
#include "analyzer/read/ends_read.h"
#include "analyzer/summary/summary.h"

#include <string.h>
#include <sys/wait.h>

#include "analyzer/model/process_usage.h"

#define OTHERS_MAX 5

static void add_line(struct document *document, size_t nr, const char *text)
{
	struct section *section;

	if (nr >= OTHERS_MAX)
		return;
	section = document_add(document, nr ? "" : "Others", text);
	section->apart = nr == 0;
	section->wraps = true;
}

static const char *wait_status_text(struct document *document, int status)
{
	if (WIFSIGNALED(status))
		return document_text(document, "killed by signal %d", WTERMSIG(status));
	return document_text(document, "exit status %d", WEXITSTATUS(status));
}

static const char *unseen_text(struct document *document, const struct unseen_process *process)
{
	struct usage usage = usage_of_unseen(process);
	const char *text =
		document_text(document, "%s, pid %u%s%s: did not load the recorder", process->program,
			      process->pid, process->has_end ? ", " : "",
			      process->has_end ? wait_status_text(document, process->wait_status) : "");

	if (!isnan(usage.cpu_ns))
		text = document_text(document, "%s; %s of CPU", text,
				     document_number(document, UNIT_NS, usage.cpu_ns));
	if (!isnan(usage.peak_rss_bytes))
		text = document_text(document, "%s, at most %s", text,
				     document_number(document, UNIT_BYTES, usage.peak_rss_bytes));
	return text;
}

void summary_others(struct document *document, struct report *report)
{
	const struct model *model = report->model;
	size_t nr = 0;
	char end[256];

	for (size_t i = 0; i < model->nr_processes && model->nr_functions; i++) {
		const struct process *process = model->processes[i];

		if (process->calls || process->end_kind == END_EXEC ||
		    (model->is_sampled && process->header.sample_interval_ns))
			continue;
		process_end_text(process, end, sizeof(end));
		add_line(document, nr++,
			 document_text(
				 document, "%s, pid %u, %s, %s: %s, so memory and CPU only",
				 process->header.program, process->header.pid,
				 document_number(document, UNIT_NS, process->last - process->start),
				 end, process->header.has_hooks ? "its hooks were not called" : "no hooks"));
	}
	for (size_t i = 0; i < model->nr_unseen; i++)
		add_line(document, nr++, unseen_text(document, &model->unseen[i]));
	if (nr > OTHERS_MAX)
		document_add(document, "", document_text(document, "%zu more", nr - OTHERS_MAX));
}
