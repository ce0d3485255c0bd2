/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * multiprocess_profiler's csv: its thirteen columns, then thread and rank, for each recorded call, region
 * and timer, in the order of their ends. Unknown cells are empty: the time of a call that reported a
 * failure but was too short to be recorded.
 */
#include "analyzer/formats/export.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/hashtable.h"
#include "analyzer/base/names.h"
#include "analyzer/calls/said_failures.h"
#include "analyzer/calls/slices.h"
#include "analyzer/read/errors_read.h"
#include "analyzer/read/marks_read.h"
#include "analyzer/symbols/symbols.h"
#include "analyzer/tables/table_text.h"

/* Why a call did not return. Texts may be NULL. */
struct breakage {
	bool broken;
	char *type;			/* allocated */
	char *value;
	char *traceback;
};

static void write_text(FILE *out, const char *text)
{
	csv_write(out, text);
	putc(',', out);
}

/* One line a call, outermost first. */
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
	breakage->type =
		error->type[0] ? name_of_type(error->type) : xstrdup(errors_kind(error->counts.error));
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

/* The last kept error ended the process, unless there were more than are kept. */
static const struct thrown *last_thrown(const struct process *process, const struct error *error)
{
	if (error->counts.count > LOG_THROWN_MOST)
		return NULL;
	for (size_t i = process->nr_thrown; i-- > 0;)
		if (process->thrown[i].error == error->place)
			return &process->thrown[i];
	return NULL;
}

/* The program's own report about the call. */
static void take_failure(struct breakage *breakage, const struct mark *failure, const struct tree_node *path)
{
	if (!failure || breakage->type)
		return;
	breakage->broken = true;
	breakage->type = xstrdup(failure->name);
	breakage->value = xstrdup(failure->text ?: "");
	breakage->traceback = traceback_of(path);
}

/* The signal that ended the process: from a crash handler, or else its meaning. */
static char *signal_text(const struct process *process)
{
	const char *meaning = sigdescr_np(process->end_status);
	char cause[ERRORS_CAUSE_BYTES];

	for (size_t i = process->nr_events; i-- > 0;)
		if (process->events[i].kind == LOG_EVENT_CRASH &&
		    (int)process->events[i].values[0] == process->end_status) {
			errors_cause(&process->events[i], cause, sizeof(cause));
			return xstrdup(cause);
		}
	return xstrdup(meaning ?: "");
}

/* A call that was open at the end was broken by the end of its process. */
static void take_end(struct breakage *breakage, const struct process *process,
		     const struct tree_node *innermost)
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
	breakage->type = signal ? xasprintf("SIG%s", signal)
				: xstrdup(process->end_kind == END_EXIT ? "exit" : "unfinished");
	if (process->end_kind == END_EXIT)
		breakage->value = xasprintf("%d", process->end_status);
	else if (signal)
		breakage->value = signal_text(process);
	breakage->traceback = traceback_of(innermost);
}

static void release(struct breakage *breakage)
{
	free(breakage->type);
	free(breakage->value);
	free(breakage->traceback);
}

/* The key by which a process is found. */
struct process_key {
	uint32_t run;
	uint32_t pid;
};

static bool is_process(const void *item, const void *key)
{
	const struct process *process = item;
	const struct process_key *wanted = key;

	return process->run == wanted->run && process->header.pid == wanted->pid;
}

static struct process *find_process(const struct hashtable *by_pid, uint32_t run, uint32_t pid)
{
	return hashtable_find(by_pid, hash_pair(run, pid), is_process, &(struct process_key){ run, pid });
}

/* A parent that is not recorded: insideme-run itself, or as it was called when the process began. */
static const char *parent_elsewhere(const struct model *model, const struct process *process)
{
	for (size_t i = 0; i < model->nr_monitors; i++)
		if (model->monitors[i]->run == process->run &&
		    model->monitors[i]->header.pid == process->header.ppid)
			return model->monitors[i]->header.program;
	return process_fact(process, "parent") ?: "";
}

/* Among several images of a process, the first counts. */
static const char **find_parents(const struct model *model)
{
	const char **names = xcalloc(model->nr_processes + 1, sizeof(*names));
	struct hashtable by_pid = { 0 };

	for (size_t i = 0; i < model->nr_processes; i++) {
		struct process *process = model->processes[i];

		if (!find_process(&by_pid, process->run, process->header.pid))
			hashtable_add(&by_pid, hash_pair(process->run, process->header.pid), process);
	}
	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct process *process = model->processes[i];
		const struct process *parent = find_process(&by_pid, process->run, process->header.ppid);

		names[i] = parent ? process_name(parent) : parent_elsewhere(model, process);
	}
	hashtable_forget(&by_pid);
	return names;
}

/* The subject of one row. */
struct span {
	const char *name;
	const struct process *process;
	uint32_t tid;
	double ns;			/* NAN: not known */
	double paused_ns;
	int64_t start, end;
};

/* Things that have rows besides calls. */
struct said_things {
	const struct timer_span **timers;	/* in the order of their ends */
	size_t nr_timers, nr_written;
	struct failures failures;
	const char **parent_names;	/* [index of a process] */
};

/* Seconds since 1970, down to the ns: a double has too few digits. */
static void write_time(FILE *out, const struct model *model, int64_t time)
{
	uint64_t ns = (uint64_t)((int64_t)model->start_realtime_ns + time);

	fprintf(out, "%" PRIu64 ".%09" PRIu64 ",", ns / 1000000000, ns % 1000000000);
}

static void write_row(FILE *out, const struct said_things *said, const struct span *span,
		      const struct breakage *breakage)
{
	const struct process *process = span->process;

	write_text(out, span->name);
	if (!isnan(span->ns))
		fprintf(out, "%.9f", span->ns / 1e9);
	putc(',', out);
	write_time(out, process->model, span->start);
	write_time(out, process->model, span->end);
	if (span->paused_ns > 0)
		fprintf(out, "%.9f,", span->paused_ns / 1e9);
	else
		fputs("0,", out);
	fprintf(out, "%u,%u,", process->header.pid, process->header.ppid);
	write_text(out, process_name(process));
	write_text(out, said->parent_names[process->number - 1]);
	write_text(out, breakage->broken ? "True" : "False");
	write_text(out, breakage->type ?: "");
	write_text(out, breakage->value ?: "");
	write_text(out, breakage->traceback ?: "");
	fprintf(out, "%u,", span->tid);
	if (process->header.rank >= 0)
		fprintf(out, "%d", process->header.rank);
	putc('\n', out);
}

static const char *id_of(const struct function *function)
{
	return function->short_name ?: function->name;
}

/* ---- timers ---- */

static int by_end(const void *a, const void *b)
{
	const struct timer_span *x = *(const struct timer_span *const *)a,
				*y = *(const struct timer_span *const *)b;

	return (x->end > y->end) - (x->end < y->end);
}

static void find_timers(struct said_things *said, const struct model *model)
{
	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct said *of = model->processes[i]->said;

		for (size_t j = 0; of && j < of->nr_spans; j++) {
			if (!of->spans[j].thread || of->spans[j].thread->left_out)
				continue;
			APPEND(said->timers, said->nr_timers) = &of->spans[j];
		}
	}
	if (said->nr_timers)
		qsort(said->timers, said->nr_timers, sizeof(*said->timers), by_end);
}

static void write_timers_until(FILE *out, const struct report *report, struct said_things *said, int64_t time)
{
	static const struct breakage whole = { .broken = false };

	for (; said->nr_written < said->nr_timers && said->timers[said->nr_written]->end <= time;
	     said->nr_written++) {
		const struct timer_span *timer = said->timers[said->nr_written];
		const struct span span = {
			timer->name,	    timer->thread->process,
			timer->thread->tid, (double)(timer->end - timer->start) - timer->paused_ns,
			timer->paused_ns,   timer->start,
			timer->end
		};

		if (export_wants_timer(report, timer))
			write_row(out, said, &span, &whole);
	}
}

/* ---- calls ---- */

static void write_slice(FILE *out, const struct report *report, const struct slice *slice,
			struct said_things *said)
{
	struct function *function = slice->node->function;
	const struct process *process = slice->thread->process;
	struct breakage breakage = { .broken = false };

	if (!function)
		return;
	if (slice->broken)
		take_reason(&breakage, process, slice->reason);
	take_failure(&breakage,
		     failures_take(&said->failures, slice->node, slice->thread, slice->start, slice->end),
		     slice->node);
	if (export_wants(report, function, slice->start, slice->end))
		write_row(out, said,
			  &(struct span){ id_of(function), process, slice->tid, slice->duration_ns, 0,
					  slice->start, slice->end },
			  &breakage);
	release(&breakage);
}

static void write_open(FILE *out, const struct report *report, const struct process *process,
		       struct said_things *said)
{
	for (size_t i = 0; i < process->nr_stacks; i++) {
		const struct open_stack *stack = &process->stacks[i];

		for (size_t j = stack->nr_calls; j-- > 0;) {
			const struct open_call *call = &stack->calls[j];
			struct function *function = call->node->function;
			struct breakage breakage = { .broken = false };

			if (call->since == NO_TIME || !function)
				continue;
			take_end(&breakage, process, stack->calls[stack->nr_calls - 1].node);
			take_failure(&breakage,
				     failures_take(&said->failures, call->node, stack->thread, call->since,
						   process->last),
				     call->node);
			if (export_wants(report, function, call->since, process->last))
				write_row(out, said,
					  &(struct span){ id_of(function), process, stack->thread->tid,
							  call->so_far_ns, 0, call->since, process->last },
					  &breakage);
			release(&breakage);
		}
	}
}

/* Failures of calls that were too short to be recorded. */
static void write_other_failures(FILE *out, const struct report *report, const struct said_things *said)
{
	for (size_t i = 0; i < said->failures.nr; i++) {
		const struct failure *failure = &said->failures.list[i];
		const struct mark *mark = failure->mark;
		struct breakage breakage = { .broken = false };

		if (failure->is_taken ||
		    !export_wants(report, failure->node->function, mark->time, mark->time))
			continue;
		take_failure(&breakage, mark, failure->node);
		write_row(out, said,
			  &(struct span){ id_of(failure->node->function), failure->process, mark->thread->tid,
					  NAN, 0, mark->time, mark->time },
			  &breakage);
		release(&breakage);
	}
}

int export_multiprocess(struct report *report)
{
	struct model *model = report->model;
	struct said_things said = { .nr_timers = 0 };
	struct slice_reader *reader;
	struct whole_file file;
	struct slice slice;
	FILE *out;

	if (!export_open(&file, report->options))
		return EXIT_FAILURE;
	out = file.out;
	fputs("id,time,start_timestamp,end_timestamp,paused_time,pid,ppid,process_name,parent_process_name,"
	      "broken,error_type,error_value,traceback,tid,rank\n",
	      out);
	said.parent_names = find_parents(model);
	find_timers(&said, model);
	failures_find(&said.failures, model);
	reader = slices_open_all(model);
	while (slices_next(reader, &slice)) {
		write_timers_until(out, report, &said, slice.end);
		write_slice(out, report, &slice, &said);
	}
	slices_close(reader);
	write_timers_until(out, report, &said, INT64_MAX);
	for (size_t i = 0; i < model->nr_processes; i++)
		write_open(out, report, model->processes[i], &said);
	write_other_failures(out, report, &said);
	failures_release(&said.failures);
	free(said.timers);
	free(said.parent_names);
	return export_close(&file);
}
