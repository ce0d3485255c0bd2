/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Questions that every view has about the runs that it shows. */
#include "analyzer/cells/view_context.h"

#include <math.h>
#include <string.h>

#include "analyzer/cells/cells.h"
#include "analyzer/model/hook_costs.h"
#include "analyzer/read/samples_read.h"
#include "analyzer/tables/document.h"

#define RUNS_NAMED 6	/* below a table */

const char *report_program(const struct report *report)
{
	const struct model *model = report->model;

	if (model->nr_processes && model->processes[0]->header.program[0])
		return model->processes[0]->header.program;
	return report->runs[0].name;
}

static int badness(const struct process *process)
{
	if (process->end_kind == END_SIGNAL || process->end_kind == END_SILENT)
		return 3;
	if (process->end_kind == END_EXIT)
		return process->end_status ? 2 : 0;
	return 1;
}

/* The first rank that dies takes the others with it: a launcher ends them by a signal. */
static bool ended_worse(const struct process *process, const struct process *worst)
{
	const int how_bad = badness(process) - badness(worst);

	return how_bad > 0 || (how_bad == 0 && badness(process) == 3 && process->last < worst->last);
}

const struct process *report_worst_end(const struct process_tree *tree, uint32_t run)
{
	const struct process *worst = NULL;

	for (size_t i = 0; i < tree->nr; i++) {
		const struct member *member = &tree->members[i];

		if (member->run != run || !member->last || (member->parent && member->parent->first))
			continue;
		if (!worst || (member->first->header.rank >= 0 && ended_worse(member->last, worst)))
			worst = member->last;
	}
	return worst;
}

const struct process *report_ended(const struct report *report)
{
	const struct process *worst;
	struct process_tree tree;

	process_tree_init(&tree, report->model);
	worst = report_worst_end(&tree, report->model->nr_processes ? report->model->processes[0]->run : 0);
	process_tree_release(&tree);
	return worst;
}

unsigned int report_data_also(const struct report *report)
{
	return (report->model->nr_parts > 1 ? COLUMN_RUNS : 0) |
	       (samples_exist(report->model) ? COLUMN_SAMPLED : 0) |
	       (samples_know_waits(report->model) ? COLUMN_WAITS : 0);
}

const char *report_sampled_note(struct document *document, const struct report *report)
{
	const struct model *model = report->model;
	const bool has_waits = samples_know_waits(model);
	const char *sums = has_waits ? "; CPU, waiting = by itself + in what it calls (recursion once)"
				     : "; CPU = Self CPU + what it calls (recursion once)";

	return document_text(document, "%s of programs without hooks, by %" PRIu64 " samples of the stack%s",
			     has_waits ? "time of threads" : "CPU time", model->samples.nr, sums);
}

const char *report_sampled_sort(const struct report *report, bool total)
{
	if (!samples_exist(report->model))
		return total ? "waiting_total_ns" : "waiting_self_ns";
	return total ? "sampled_total_ns" : "sampled_self_ns";
}

const char *report_functions_sort(const struct report *report)
{
	if (report->model->is_sampled)
		return report_sampled_sort(report, false);
	return report_has_times(report) ? "self_ns" : "calls";
}

void report_tell_runs(const struct report *report, struct document *document, struct table *table)
{
	if (report->model->nr_runs < 2)
		return;
	table->text_columns = document_text(document, "run_number,%s", table->text_columns);
	table->data_also |= COLUMN_RUNS;
}

void report_name_runs(const struct report *report, struct document *document)
{
	const struct model *model = report->model;
	struct section *section;
	const char *text = "times are since the begin of each";

	if (model->nr_runs < 2)
		return;
	for (size_t i = 0; i < model->nr_runs && i < RUNS_NAMED; i++)
		text = document_text(document, "%s\n%zu: %s", text, i + 1, model->run_names[i]);
	if (model->nr_runs > RUNS_NAMED)
		text = document_text(document, "%s\nand %zu more, numbered as they were named", text,
				     model->nr_runs - RUNS_NAMED);
	section = document_add(document, "Runs", text);
	section->apart = section->wraps = true;
}

/* Below all: the calls that --focus, --exclude and --depth leave out. */
static void tell_left_out(const struct report *report, struct document *document)
{
	const struct selection *selection = &report->model->selection;
	const char *text = "nothing; ";
	struct section *section;

	if (!selection->is_on)
		return;
	if (selection->outside_calls)
		text = document_text(document, "%s outside, %s of self time%s%s in them; ",
			document_count(document, selection->outside_calls, "call"),
			document_number(document, UNIT_NS, fmax(selection->outside_ns, 0)),
			report_has_heap(report) ? " and allocations of " : "", report_has_heap(report) ?
			document_number(document, UNIT_BYTES, selection->outside_alloc_bytes) : "");
	if (selection->inside_calls)
		text = document_text(document,
				     "%s%s within reported ones: their time and memory are in those; ",
				     selection->outside_calls ? text : "",
				     document_count(document, selection->inside_calls, "call"));
	section = document_add(document, "Left out",
			       document_text(document, "%.*s", (int)strlen(text) - 2, text));
	section->apart = section->wraps = true;
}

int report_build(struct report *report, struct document *document,
		 int (*build)(struct document *, struct report *))
{
	int status = build(document, report);

	if (status == 0)
		tell_left_out(report, document);
	return status;
}

bool report_is_of_threads(const struct report *report)
{
	return report->options->filter.lists[FILTER_THREAD].text;
}

bool report_has_heap(const struct report *report)
{
	for (size_t i = 0; i < report->model->nr_processes; i++)
		if (report->model->processes[i]->header.heap_bytes != LOG_HEAP_OFF)
			return true;
	return false;
}

bool report_has_live_heap(const struct report *report)
{
	return report->model->heap.live_records > 0;
}

bool report_has_ranks(const struct report *report)
{
	for (size_t i = 0; i < report->model->nr_processes; i++)
		if (report->model->processes[i]->header.rank >= 0)
			return true;
	return false;
}

bool report_has_times(const struct report *report)
{
	for (size_t i = 0; i < report->model->nr_processes; i++)
		if (report->model->processes[i]->header.timing != LOG_TIMING_COUNTS)
			return true;
	return false;
}

bool report_has_counted(const struct report *report)
{
	for (size_t i = 0; i < report->model->nr_functions; i++)
		if (report->model->functions[i]->is_counted)
			return true;
	return false;
}

const char *report_error_note(const struct report *report)
{
	if (report_has_counted(report))
		return "; ≈: too short for hooks, so their calls were counted, and their time is from CPU "
		       "samples (+/-: one standard error; empty: too few samples); ≤: with the time of "
		       "counted functions that have none";
	return report_has_errors(report) ? "; +/-: one standard error, because not all calls were timed" : "";
}

bool report_has_errors(const struct report *report)
{
	for (size_t i = 0; i < report->model->nr_processes; i++)
		if (report->model->processes[i]->header.timing == LOG_TIMING_ADAPTIVE)
			return true;
	for (size_t i = 0; i < report->model->nr_functions; i++)
		if (report->model->functions[i]->stats.self_variance_ns2 > 0)
			return true;
	return false;
}

/* Is a function too short to be measured beside the hooks? Then its times are marked. */
static bool report_has_doubts(const struct report *report)
{
	for (size_t i = 0; i < report->model->nr_functions; i++)
		if (!report->model->functions[i]->is_counted &&
		    (hook_costs_hide_self(&report->model->functions[i]->stats) ||
		     hook_costs_hide_total(&report->model->functions[i]->stats)))
			return true;
	return false;
}

const char *report_doubt_note(const struct report *report)
{
	return !report_has_doubts(report) ? "" :
		"; ~: short beside the hooks: it may be off by more than a quarter";
}

const char *report_nested_note(const struct report *report)
{
	for (size_t i = 0; i < report->model->nr_functions; i++) {
		const struct function *function = report->model->functions[i];

		if (nested_cell(&function->stats, function->primitive_calls, CELL_NESTED_CALLS).primitive)
			return "; Calls a/b: b of the a calls are no recursion";
	}
	return "";
}

const char *report_open_note(const struct report *report)
{
	for (size_t i = 0; i < report->model->nr_functions; i++)
		if (report->model->functions[i]->stats.open_ns > 0)
			return "; p99: at most, with the hooks of callees, of calls that ended; mean "
			       "and max of open ones too";
	return "; p99: at most, with the hooks of callees";
}

bool report_has_damage(const struct report *report)
{
	for (size_t i = 0; i < report->model->nr_processes; i++)
		if (report->model->processes[i]->nr_damaged)
			return true;
	return report->model->nr_damaged || report->model->nr_unreadable;
}

uint64_t report_threads(const struct report *report)
{
	struct process_tree tree;
	uint64_t nr = 0;

	process_tree_init(&tree, report->model);
	for (size_t i = 0; i < tree.nr; i++)
		nr += tree.members[i].nr_threads;
	process_tree_release(&tree);
	return nr;
}

uint64_t report_threads_with_calls(const struct report *report)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < report->model->nr_processes; i++)
		for (size_t j = 0; j < report->model->processes[i]->nr_threads; j++)
			if (report->model->processes[i]->threads[j]->calls)
				nr += report->model->processes[i]->threads[j]->nr_threads;
	return nr;
}
