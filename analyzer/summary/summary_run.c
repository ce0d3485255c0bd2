/* SPDX-License-Identifier: GPL-3.0-or-later */
/* First page: which run this is, how it went, and what its threads were in at the end. */
#include "analyzer/read/ends_read.h"
#include "analyzer/summary/summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyzer/base/error.h"
#include "analyzer/cells/path_text.h"
#include "analyzer/views/view_stacks.h"

#define LAST_WORDS_PROCESSES	3
#define LAST_WORDS_STACKS	6

/* A page and a file are read later. */
static bool is_kept(const struct options *options)
{
	return options->output || strcmp(options->format, "html") == 0;
}

/* "today 10:14:03, 2 min ago", "2026-11-18 23:10:44". The latter alone if @is_kept */
static char *when(struct document *document, uint64_t realtime_ns, bool is_kept)
{
	time_t start = (time_t)(realtime_ns / 1000000000);
	struct timespec now;
	struct tm then, today;
	char text[64];
	double age;

	clock_gettime(CLOCK_REALTIME, &now);	/* time() may be a tick behind, and so before the start */
	age = difftime(now.tv_sec, start);
	localtime_r(&start, &then);
	localtime_r(&now.tv_sec, &today);
	if (then.tm_year != today.tm_year || then.tm_yday != today.tm_yday || age < 0 ||
	    is_kept) {
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &then);
		return document_text(document, "%s", text);
	}
	strftime(text, sizeof(text), "today %H:%M:%S", &then);
	if (age < 120)
		return document_text(document, "%s, %.0f s ago", text, age);
	if (age < 7200)
		return document_text(document, "%s, %.0f min ago", text, age / 60);
	return document_text(document, "%s, %.0f h ago", text, age / 3600);
}

static void add_heading(struct document *document, struct report *report)
{
	const struct run *run = &report->runs[0];
	const struct model *model = report->model;
	const char *host = model->nr_processes ? model->processes[0]->header.host : "";
	const char *newest = "";

	if (run->nr_runs > 1 && !run->newer)
		newest = document_text(document, "; newest of %zu", run->nr_runs);
	else if (run->nr_runs > 1)
		newest = document_text(document, run->newer == 1 ? "; there is a newer one" :
			"; there are %zu newer ones",
				       run->newer);
	if (report->nr_runs > 1)
		newest = document_text(document, "; added up with %zu more", report->nr_runs - 1);
	document_add(document, NULL,
		     document_text(document, "%s     %s%s%s%s", run->path,
				   when(document, model->start_realtime_ns, is_kept(report->options)),
				   host[0] ? ", on " : "", host, newest))
		->wraps = true;
}

static void add_command(struct document *document, const struct model *model)
{
	const char *command = model->processes[0]->command;
	struct section *section;

	if (!command[0])
		command = model->processes[0]->header.program;
	section = document_add(document, "Command", document_text(document, "%.300s%s", command,
								  strlen(command) > 300 ? " ..." : ""));
	section->apart = section->wraps = true;
}

/* How many ranks of a run ended as @text says, and the last of them at @last. 0: not all of them. */
static size_t count_alike(const struct model *model, uint32_t run, const char *text, int64_t *last)
{
	size_t nr = 0;
	char its[256];

	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct process *process = model->processes[i];

		if (process->run != run || process->header.rank < 0 || process->header.is_rank_child ||
		    process_next_image(process))
			continue;
		process_end_text(process, its, sizeof(its));
		if (strcmp(its, text) != 0)
			return 0;
		*last = process->last > *last ? process->last : *last;
		nr++;
	}
	return nr;
}

static void add_end(struct document *document, const struct report *report)
{
	const struct process *process = report_ended(report), *first = report->model->processes[0];
	int64_t last = process->last;
	const char *who = "";
	char text[256];
	size_t nr;

	process_end_text(process, text, sizeof(text));
	if (process->header.rank >= 0) {
		nr = count_alike(report->model, process->run, text, &last);
		if (!nr)
			last = process->last;
		who = nr > 1 ? document_text(document, "each of %zu ranks: ", nr)
			     : document_text(document, "rank %d: ", process->header.rank);
	}
	document_add(document, "Ended", document_text(document, "%s%s after %s%s", who,
		text + (strncmp(text, "ended ", 6) == 0 ? 6 : 0),
		process_end_is_timed(process) ? "" : "at least ",
		document_number(document, UNIT_NS, last - first->start)))->wraps = true;
}

/* INSIDEME_CRASH: the stack that the signal found. */
static void add_crash(struct document *document, const struct report *report)
{
	const struct process *ended = report_ended(report);
	const char *text = NULL;

	for (size_t i = 0; i < report->model->nr_processes; i++)
		if (report->model->processes[i] == ended)
			text = stacks_crash_text(document, report->model->processes[i]);
	if (!text)
		return;
	text = document_text(document, "%s (-v errors: all of it)", text);
	document_add(document, "In", text)->wraps = true;
}

size_t summary_count_processes(const struct model *model)
{
	size_t nr = 0;

	for (size_t i = 0; i < model->nr_processes; i++)
		nr += !process_next_image(model->processes[i]);
	return nr;
}

static void add_recorded(struct document *document, const struct report *report)
{
	const struct model *model = report->model;
	uint64_t budget = 0;
	const char *log = "a saved profile, without logs";

	for (size_t i = 0; i < model->nr_processes; i++)
		if (model->processes[i]->header.map_bytes > budget)
			budget = model->processes[i]->header.map_bytes;
	if (model->log_bytes)
		log = document_text(document, "log %s (never above %s%s)",
				    document_number(document, UNIT_BYTES, model->log_bytes),
				    document_number(document, UNIT_BYTES, budget),
				    model->nr_processes > 1 ? " each" : "");
	document_add(document, "Recorded",
		     document_text(document, "%s%s, %s, %s, %s; %s",
				   document_count(document, summary_count_processes(model), "process"),
				   ranks_text(document, model),
				   document_count(document, report_threads(report), "thread"),
				   document_count(document, model->nr_functions, "function"),
				   model->is_sampled
					   ? document_count(document, model->samples.nr, "sample")
					   : document_count(document, model->calls, "call"),
				   log))
		->wraps = true;
}

static int deeper(const void *a, const void *b)
{
	const struct open_stack *left = *(struct open_stack *const *)a,
				*right = *(struct open_stack *const *)b;

	return (left->nr_calls < right->nr_calls) - (left->nr_calls > right->nr_calls);
}

static void add_last_words(struct document *document, const struct process *process)
{
	const struct open_stack **stacks = NULL;
	size_t nr = 0;

	for (size_t i = 0; i < process->nr_stacks; i++) {
		APPEND(stacks, nr) = &process->stacks[i];
	}
	if (nr)
		qsort(stacks, nr, sizeof(*stacks), deeper);
	if (nr)
		document_add(document, NULL, document_text(document, process->end_kind == END_RUNNING ?
			"Just now: what each thread of %s, process %u, is in" :
			"Last words: what each thread of %s, process %u, was in",
			process->header.program, process->header.pid))->apart = true;
	for (size_t i = 0; i < nr && i < LAST_WORDS_STACKS; i++) {
		const struct open_call *last = &stacks[i]->calls[stacks[i]->nr_calls - 1];

		document_add(document, NULL,
			     document_text(document, "%9u  %-15s  %s   for %s%s", stacks[i]->thread->tid,
					   stacks[i]->thread->name, open_stack_text(document, stacks[i]),
					   document_number(document, UNIT_NS, last->so_far_ns),
					   stacks[i]->left ? ", waiting as a coroutine" : ""))
			->wraps = true;
	}
	if (nr > LAST_WORDS_STACKS)
		document_add(document, NULL,
			     document_text(document, "  %zu more stacks", nr - LAST_WORDS_STACKS));
	free(stacks);
}

static bool has_last_words(const struct process *process)
{
	enum process_end end = process->end_kind;

	return process->nr_stacks &&
	       (end == END_SIGNAL || end == END_SILENT || end == END_UNKNOWN || end == END_RUNNING);
}

static void add_all_last_words(struct document *document, const struct model *model)
{
	size_t nr = 0;

	for (size_t i = 0; i < model->nr_processes; i++)
		if (has_last_words(model->processes[i]) && nr++ < LAST_WORDS_PROCESSES)
			add_last_words(document, model->processes[i]);
	if (nr > LAST_WORDS_PROCESSES)
		document_add(document, NULL,
			     document_text(document, "and %zu processes more: --process PID shows one",
					   nr - LAST_WORDS_PROCESSES))
			->apart = true;
}

void summary_run(struct document *document, struct report *report)
{
	const struct model *model = report->model;

	add_heading(document, report);
	if (report->limits)
		document_add(document, "Only", report->limits)->apart = true;
	if (!model->nr_processes)
		return;
	if (model->nr_runs > 1) {
		summary_runs(document, model);
	} else {
		add_command(document, model);
		add_end(document, report);
		add_crash(document, report);
	}
	add_recorded(document, report);
	summary_processes(document, report);
	add_all_last_words(document, model);
}
