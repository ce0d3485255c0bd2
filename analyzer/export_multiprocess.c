/* SPDX-License-Identifier: GPL-3.0-or-later */
/* multiprocess_profiler's csv file: its thirteen columns of each recorded call, or region, in the order of their ends; thread and rank. */
#include "export.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "errors.h"
#include "names.h"
#include "slices.h"
#include "symbols.h"

/* Why a call did not return; texts are "" where there are none. */
struct breakage {
	bool broken;
	char *type;			/* allocated */
	char *value;
	char *traceback;
};

/* As RFC 4180 has it. */
static void write_text(FILE *out, const char *text)
{
	bool quoted = text[strcspn(text, ",\"\r\n")];

	if (quoted)
		putc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', out);
		putc(*text, out);
	}
	if (quoted)
		putc('"', out);
	putc(',', out);
}

/* The outermost call first, a line each. */
static char *traceback_of(const struct tree_node *path)
{
	char *text = xstrdup(""), *longer;

	for (; path && path->function; path = path->parent) {
		longer = xasprintf("%s%s%s", path->function->name, text[0] ? "\n" : "", text);
		free(text);
		text = longer;
	}
	return text;
}

static void take_error(struct breakage *breakage, const struct process *process, const struct error *error,
		       const struct thrown *thrown)
{
	breakage->type = error->type[0] ? symbols_type_name(error->type) : xstrdup(errors_kind(error->counts.error));
	if (thrown && thrown->message)
		breakage->value = xstrdup(thrown->message);
	breakage->traceback = traceback_of(errors_path(process, error, error->counts.node));
}

static void take_reason(struct breakage *breakage, const struct process *process, uint32_t reason)
{
	const struct thrown *thrown;
	const struct error *error = errors_find(process, reason, &thrown);

	breakage->broken = true;
	if (error)
		take_error(breakage, process, error, thrown);
	else if (reason == LOG_BROKEN_THREAD_END)
		breakage->type = xstrdup("thread_exit");
}

/* The last one that was kept is that which ended the process, if so many were kept. */
static const struct thrown *last_thrown(const struct process *process, const struct error *error)
{
	if (error->counts.count > LOG_THROWN_MOST)
		return NULL;
	for (size_t i = process->nr_thrown; i-- > 0;)
		if (process->thrown[i].error == error->place)
			return &process->thrown[i];
	return NULL;
}

/* Of a call that was open at the end: how its process ended. */
static void take_end(struct breakage *breakage, const struct process *process, const struct tree_node *innermost)
{
	const struct error *error = errors_ending(process);
	const char *signal = process->end_kind == END_SIGNAL ? sigabbrev_np(process->end_status) : NULL;

	breakage->broken = process->end_kind != END_RUNNING;
	if (!breakage->broken)
		return;
	if (error && (process->end_kind == END_SILENT || (signal && strcmp(signal, "ABRT") == 0))) {
		take_error(breakage, process, error, last_thrown(process, error));
		return;
	}
	breakage->type = signal ? xasprintf("SIG%s", signal) : xstrdup(process->end_kind == END_EXIT ? "exit" : "unfinished");
	if (process->end_kind == END_EXIT)
		breakage->value = xasprintf("%d", process->end_status);
	breakage->traceback = traceback_of(innermost);
}

static void release(struct breakage *breakage)
{
	free(breakage->type);
	free(breakage->value);
	free(breakage->traceback);
}

static const char *parent_name(const struct process *process)
{
	const struct model *model = process->model;

	for (size_t i = 0; i < model->nr_processes; i++)
		if (model->processes[i]->run == process->run && model->processes[i]->header.pid == process->header.ppid)
			return model->processes[i]->header.program;
	return "";
}

struct call_times {
	double ns;
	int64_t start, end;
};

static void write_row(FILE *out, const struct process *process, const struct function *function, uint32_t tid,
		      const struct call_times *times, const struct breakage *breakage)
{
	write_text(out, function->short_name ?: function->name);
	fprintf(out, "%.9f,%.9f,%.9f,0,%u,%u,", times->ns / 1e9, export_seconds(process->model, times->start),
		export_seconds(process->model, times->end), process->header.pid, process->header.ppid);
	write_text(out, process->header.program);
	write_text(out, parent_name(process));
	write_text(out, breakage->broken ? "True" : "False");
	write_text(out, breakage->type ?: "");
	write_text(out, breakage->value ?: "");
	write_text(out, breakage->traceback ?: "");
	fprintf(out, "%u,", tid);
	if (process->header.rank >= 0)
		fprintf(out, "%d", process->header.rank);
	putc('\n', out);
}

static bool is_wanted(const struct report *report, const struct function *function, int64_t start, int64_t end)
{
	const struct options *options = report->options;

	return function && start <= report->model->to && end >= report->model->from &&
	       (!options->match || name_matches(options->match, function->name));
}

static void write_slice(FILE *out, const struct report *report, const struct slice *slice)
{
	const struct call_times times = { slice->duration_ns, slice->start, slice->end };
	const struct process *process = slice->thread->process;
	struct breakage breakage = { .broken = false };

	if (!is_wanted(report, slice->node->function, slice->start, slice->end))
		return;
	if (slice->broken)
		take_reason(&breakage, process, slice->reason);
	write_row(out, process, slice->node->function, slice->tid, &times, &breakage);
	release(&breakage);
}

static void write_open(FILE *out, const struct report *report, const struct process *process)
{
	for (size_t i = 0; i < process->nr_stacks; i++) {
		const struct open_stack *stack = &process->stacks[i];

		for (size_t j = stack->nr_calls; j-- > 0;) {
			const struct open_call *call = &stack->calls[j];
			const struct call_times times = { call->so_far_ns, call->since, process->last };
			struct breakage breakage = { .broken = false };

			if (call->since == NO_TIME || !is_wanted(report, call->node->function, call->since, process->last))
				continue;
			take_end(&breakage, process, stack->calls[stack->nr_calls - 1].node);
			write_row(out, process, call->node->function, stack->thread->tid, &times, &breakage);
			release(&breakage);
		}
	}
}

int export_multiprocess(struct report *report)
{
	struct model *model = report->model;
	struct slice_reader *reader;
	FILE *out = export_open(report);
	struct slice slice;

	if (!out)
		return EXIT_FAILURE;
	fputs("id,time,start_timestamp,end_timestamp,paused_time,pid,ppid,process_name,parent_process_name,broken,error_type,"
	      "error_value,traceback,tid,rank\n", out);
	reader = slices_open_all(model);
	while (slices_next(reader, &slice))
		write_slice(out, report, &slice);
	slices_close(reader);
	for (size_t i = 0; i < model->nr_processes; i++)
		write_open(out, report, model->processes[i]);
	return export_close(report, out);
}
