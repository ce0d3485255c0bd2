/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far a report can be trusted. */
#include "analyzer/summary/doubts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/model/resolve.h"
#include "analyzer/profile/profile_totals.h"
#include "analyzer/resources/series.h"

struct loss {
	enum log_loss id;
	const char *name;
	const char *one, *many;	/* the text after the number */
	bool is_doubt;
};

static const struct loss losses[] = {
	{ LOG_LOST_EARLY_CALLS, "early_calls", "call before the recorder was ready is missing",
	  "calls before the recorder was ready are missing", false },
	{ LOG_LOST_FRAMES, "untimed_calls", "call was counted but not timed: too many were open at once",
	  "calls were counted but not timed: too many were open at once", true },
	{ LOG_LOST_UNKNOWN_EXITS, "unknown_exits",
	  "function ended that was not open (it began before the recorder was ready, or in a fork)",
	  "functions ended that were not open (they began before the recorder was ready, or in a "
	  "fork)",
	  false },
	{ LOG_LOST_BROKEN_CALLS, "broken_calls",
	  "call did not return (longjmp, exception, end of thread); its end is when the recorder "
	  "noticed that",
	  "calls did not return (longjmp, exception, end of thread); their end is when the recorder "
	  "noticed that",
	  false },
	{ LOG_LOST_SLICES, "lost_slices", "single call is missing in -v calls; counts and times include it",
	  "single calls are missing in -v calls; counts and times include them", false },
	{ LOG_LOST_PATHS, "folded_paths",
	  "call path had no room and counts below (other paths), for its function if that had room "
	  "there",
	  "call paths had no room and count below (other paths), for their functions if these had "
	  "room there",
	  true },
	{ LOG_LOST_CALLS, "lost_calls", "call is missing from all figures",
	  "calls are missing from all figures", true },
	{ LOG_LOST_RECORDS, "lost_records", "event, module or text had no room",
	  "events, modules or texts had no room", true },
	{ LOG_LOST_ROWS, "lost_rows", "resource sample had no room", "resource samples had no room", false },
	{ LOG_LOST_GROWTH, "failed_growths",
	  "time the log could not grow: the disk was full, the budget "
	  "was spent, or the process gave up its owner's rights",
	  "times the log could not grow: the disk was full, the budget was spent, or the process "
	  "gave up its owner's rights",
	  true },
	{ LOG_LOST_HEAP_CALLS, "lost_heap_calls",
	  "allocation or free was not counted: in a forked child without hooks before it had a log, "
	  "or for lack of room",
	  "allocations and frees were not counted: in forked children without hooks before they had "
	  "a log, or for lack of room",
	  true },
	{ LOG_LOST_PROCESSES, "lost_processes",
	  "forked process was not recorded: no log could be made for it (other rights or root, a "
	  "full disk)",
	  "forked processes were not recorded: no log could be made for them (other rights or root, "
	  "a full disk)",
	  true },
	{ LOG_LOST_SAMPLES, "lost_samples", "CPU sample had no room", "CPU samples had no room", false },
	{ LOG_LOST_SAMPLED_THREADS, "lost_sampled_threads", "thread got no timer for CPU samples",
	  "threads got no timers for CPU samples", false },
	{ LOG_LOST_SWITCHES, "lost_switches",
	  "context switch came faster than it was read: around it CPU, ready and blocked time of calls are "
	  "estimates, shared by elapsed time between samples",
	  "context switches came faster than they were read: around them CPU, ready and blocked time of "
	  "calls are estimates, shared by elapsed time between samples",
	  true },
	{ LOG_LOST_FORKS_IN_HOOKS, "forks_in_hooks",
	  "forked process was not recorded: a signal handler forked it while a call was being recorded",
	  "forked processes were not recorded: signal handlers forked them while calls were being "
	  "recorded",
	  true },
	{ LOG_LOST_WAITS, "lost_waits", "library call has no record of what it waited for: there was no room",
	  "library calls have no record of what they waited for: there was no room", false },
	{ LOG_LOST_TRANSFERS, "lost_transfers",
	  "MPI call has no record of its own: recording was off, it failed, or there was no room",
	  "MPI calls have no records of their own: recording was off, one failed, or there was no room; who "
	  "waited for whom is known until then",
	  false },
	{ LOG_LOST_STACK_ENDS, "cut_stacks",
	  "sampled stack lacks its outermost functions: code without unwind tables, or too deep; it "
	  "counts below (other paths)",
	  "sampled stacks lack their outermost functions: code without unwind tables, or too deep; they "
	  "count below (other paths)",
	  false },
	{ LOG_LOST_TRACED, "traced_stacks",
	  "stack is not known: its thread ran under a debugger or tracer, which lets nobody else stop it; it "
	  "counts below (other paths)",
	  "stacks are not known: their threads ran under a debugger or tracer, which lets nobody else stop "
	  "them; they count below (other paths)",
	  false },
	{ LOG_LOST_WOKEN, "woken_samples", "sample was dropped: its thread began to run while it was read",
	  "samples were dropped: their threads began to run while they were read", false },
	{ LOG_LOST_PAGE_FAULTS, "lost_page_faults", "page fault came faster than it was read, or had no room",
	  "page faults came faster than they were read, or had no room", true },
	{ LOG_LOST_STACK_COPIES, "lost_stacks", "stack could not be copied, or had no room",
	  "stacks could not be copied, or had no room", false },
	{ LOG_LOST_CALL_PLACES, "lost_call_lines", "call's calling line had no room",
	  "calls' calling lines had no room", true },
	{ LOG_LOST_LINE_EVENTS, "lost_line_events", "line event had no room",
	  "line events had no room: --focused-on records fewer, --budget keeps more", true },
	{ LOG_LOST_LINE_COUNTS, "lost_line_counts", "source file's counts of lines had no room",
	  "source files' counts of lines had no room", true },
	{ LOG_LOST_SITES_UNKNOWN, "sites_unknown",
	  "call site of a counted function goes on to the hook, which takes longer: it calls it by a "
	  "register, or lies in code of no file or of too many",
	  "call sites of counted functions go on to the hook, which takes longer: they call it by a "
	  "register, or lie in code of no file or of too many",
	  false },
	{ LOG_LOST_SITES_ROOM, "sites_without_counter",
	  "call site of a counted function goes on to the hook, which takes longer: there was no counter for "
	  "it",
	  "call sites of counted functions go on to the hook, which takes longer: there were no counters for "
	  "them",
	  false },
	{ LOG_LOST_SITES_DETOURS, "sites_without_detour",
	  "call site of a counted function goes on to the hook, which takes longer: it crosses a line of the "
	  "cache",
	  "call sites of counted functions go on to the hook, which takes longer: they cross lines of the "
	  "cache",
	  false },
};

static void add_losses(struct findings *findings, const struct model *model)
{
	const struct profile_totals totals = losses_totals(model);

	for (size_t i = 0; i < sizeof(losses) / sizeof(*losses); i++) {
		const struct loss *loss = &losses[i];
		uint64_t number = totals.losses[loss->id];

		for (size_t j = 0; j < model->nr_processes; j++)
			number += model->processes[j]->header.losses[loss->id];
		if (number)
			findings_add(findings, loss->name, UNIT_COUNT, (double)number, loss->is_doubt,
				     document_text(findings->document, "%" PRIu64 " %s", number,
						   number == 1 ? loss->one : loss->many));
	}
	if (totals.untold_losses)
		findings_add(findings, "untold_losses", UNIT_COUNT, (double)totals.untold_losses, true,
		    document_text(findings->document, "%" PRIu64
		    	" saved profile%s of version 1, which does not say what was lost",
				  totals.untold_losses, totals.untold_losses == 1 ? " is" : "s are"));
}

/* Functions without names: one finding for each object. */
static void add_nameless(struct findings *findings, const struct model *model, const struct object *object)
{
	const char *why = object ? resolve_trouble(object) : "they are in no known module";
	double self_ns = 0, all_ns = model->is_sampled ? model->samples.ns : model->functions_ns, share;
	size_t nr = 0;

	for (size_t i = 0; i < model->nr_functions; i++) {
		if (model->functions[i]->object != object || model->functions[i]->resolved)
			continue;
		self_ns += model->is_sampled ? model->functions[i]->samples.ns
					     : model->functions[i]->stats.self_ns;
		nr++;
	}
	if (!nr)
		return;
	share = all_ns > 0 ? 100 * self_ns / all_ns : 0;
	findings_add(findings, "nameless_functions", UNIT_COUNT, (double)nr,
		     self_ns > 0 || !(all_ns > 0),
		     document_text(findings->document,
				   "%zu function%s without a name, %s of the time in functions: %s%s%s", nr,
				   nr == 1 ? "" : "s", findings_number(findings, UNIT_PERCENT, share),
				   object ? object->path : "", object ? " " : "",
				   why ? why : "has no symbols for them"));
}

static void add_threshold_steps(struct findings *findings, struct process *process)
{
	for (size_t i = 0; i < process->nr_events; i++) {
		const struct event *event = &process->events[i];

		if (event->kind != LOG_EVENT_THRESHOLD)
			continue;
		findings_add(
			findings, "threshold_raised_at_ns", UNIT_NS, (double)event->time,
			process->header.threshold_set_ns == 0,
			document_text(findings->document,
				      "from %s after the start, only single calls longer "
				      "than %s were recorded, before that longer than %s: %s (process %u)",
				      findings_number(findings, UNIT_NS, (double)event->time),
				      findings_number(findings, UNIT_NS,
						      (double)event->values[0] * process->tick_ns),
				      findings_number(findings, UNIT_NS,
						      (double)event->values[1] * process->tick_ns),
				      event->values[2] == LOG_THRESHOLD_RATE
					      ? "they came too fast"
					      : "half of the remaining budget had been used",
				      process->header.pid));
	}
}

/*
 * Processes whose resources were not sampled. One that ended too soon is no doubt if insideme-run saw what
 * it used.
 */
static void add_not_sampled(struct findings *findings, const struct model *model)
{
	const struct process *first = NULL;
	size_t nr = 0, nr_all = 0;

	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct process *process = model->processes[i];

		nr_all += !process_next_image(process);
		if (process->header.sampler_kind || process_rowset(process, "process") ||
		    process->has_usage || process_next_image(process))
			continue;
		first = first ? first : process;
		nr++;
	}
	if (nr == 1)
		findings_add(findings, "processes_without_sampler", UNIT_COUNT, 1, true,
			     document_text(findings->document, "no resources were sampled in process %u",
					   first->header.pid));
	else if (nr)
		findings_add(findings, "processes_without_sampler", UNIT_COUNT, (double)nr, true,
			     document_text(findings->document,
					   "no resources were sampled in %zu of %zu processes", nr, nr_all));
}

/* The sum over all processes. */
static void add_off(struct findings *findings, const struct model *model)
{
	uint64_t nr_switches = 0;
	double ns = 0;

	for (size_t i = 0; i < model->nr_processes; i++) {
		nr_switches += model->processes[i]->header.nr_switches;
		ns += losses_off_ns(model->processes[i]);
	}
	if (nr_switches)
		findings_add(findings, "recording_off_ns", UNIT_NS, ns, true,
			     document_text(findings->document,
					   "recording was off for %s (%" PRIu64
					   " switch%s): calls that began then are "
					   "missing, their time counts as (not recorded)",
					   findings_number(findings, UNIT_NS, ns), nr_switches,
					   nr_switches == 1 ? "" : "es"));
}

static void add_last_calls(struct findings *findings, const struct process *process)
{
	const double nr = (double)process->header.last_calls;

	if (process->header.last_calls)
		findings_add(
			findings, "last_calls", UNIT_COUNT, nr, false,
			document_text(
				findings->document,
				"of each thread the last %s single calls were kept, older ones overwritten: "
				"what they used of CPU time and I/O is not known (process %u)",
				findings_number(findings, UNIT_COUNT, nr), process->header.pid));
}

static void add_focus_changes(struct findings *findings, const struct process *process)
{
	const uint64_t nr = process->header.focus_changes;

	if (nr)
		findings_add(
			findings, "focus_changes", UNIT_COUNT, (double)nr, true,
			document_text(findings->document,
				      "the focus changed %" PRIu64
				      " time%s while the program ran: calls outside of it "
				      "then are missing, those of counted functions are not (process %u)",
				      nr, nr == 1 ? "" : "s", process->header.pid));
}

/* A text that a process recorded: "WHAT in process PID: TEXT" */
static const struct noted {
	const char *fact, *finding, *what;
	bool is_doubt;
} noted[] = {
	{ "off", "turned_off", "the recorder turned itself off", true },
	{ "heap_off", "heap_not_counted", "the heap was not counted", true },
	{ "heap_sample_off", "heap_not_sampled", "stacks of allocations were not sampled", true },
	{ "samples_off", "samples_off", "CPU time was not sampled, or not until the end,", true },
	{ "page_faults_off", "page_faults_off", "page faults were not recorded", true },
	{ "samples_without_callers", "samples_without_callers",
	  "totals of counted functions (≈) lack what these call, and their time in library code counts for "
	  "their recorded callers", true },
	{ "sites_off", "call_sites_unchanged", "hooks count short calls, which takes longer,", false },
	{ "bypassed", "bypassed",
	  "functions that found other hooks first (RTLD_DEEPBIND) were not recorded", true },
	{ "namespaces", "namespaces", "objects with a C library of their own were not recorded", true },
	{ "mpi_bypassed", "mpi_bypassed", "MPI calls that the program defines itself were not recorded",
	  true },
};

static void add_noted(struct findings *findings, const struct process *process)
{
	for (size_t i = 0; i < sizeof(noted) / sizeof(*noted); i++) {
		const struct noted *one = &noted[i];
		const char *text = process_fact(process, one->fact);

		if (text)
			findings_add(findings, one->finding, UNIT_NONE, 1, one->is_doubt,
				     document_text(findings->document, "%s in process %u: %s", one->what,
						   process->header.pid, text));
	}
}

static void add_process(struct findings *findings, struct process *process)
{
	const size_t nr_dropped = process->timebase.nr_dropped;
	uint64_t overflow = 0;

	add_threshold_steps(findings, process);
	add_last_calls(findings, process);
	add_focus_changes(findings, process);
	add_noted(findings, process);
	for (size_t i = 0; i < process->nr_threads; i++)
		overflow += process->threads[i]->overflow_depth;
	if (overflow)
		findings_add(findings, "open_calls_without_frames", UNIT_COUNT, (double)overflow, true,
			     document_text(findings->document,
					   "%" PRIu64
					   " open calls could not be recorded for lack of room (process %u)",
					   overflow, process->header.pid));
	if (nr_dropped)
		findings_add(findings, "clock_readings_dropped", UNIT_COUNT, (double)nr_dropped, true,
			     document_text(findings->document,
					   "%zu clock readings contradict the others and were left out "
					   "(process %u)",
					   nr_dropped, process->header.pid));
}

static void add_forks(struct findings *findings, const struct model *model)
{
	const uint64_t nr = model->calls_open_at_forks;

	if (nr)
		findings_add(findings, "calls_open_at_forks", UNIT_COUNT, (double)nr, false,
			     document_text(findings->document,
					   "%" PRIu64
					   " call%s counted once more, because a forked child returns from "
					   "what was open at its fork",
					   nr, nr == 1 ? " is" : "s are"));
}

static void add_samples(struct findings *findings, const struct model *model)
{
	const struct sample_stats *samples = &model->samples;
	uint64_t all = samples->nr + samples->in_hooks;

	if (!all)
		return;
	findings_add(
		findings, "samples", UNIT_COUNT, (double)samples->nr, false,
		document_text(findings->document,
			      "%s CPU samples in functions; %s of them were in the hooks and are left out",
			      findings_number(findings, UNIT_COUNT, (double)all),
			      findings_number(findings, UNIT_PERCENT,
					      100 * (double)samples->in_hooks / (double)all)));
}

static bool has_written(const struct model *model, struct process *process)
{
	struct rowset *rows = process_rowset(process, "process");
	int column = rows ? rowset_column(rows, "write_bytes") : -1;
	struct series written;
	bool result;

	if (column < 0)
		return false;
	series_of_column(&written, model, process, rows, (uint32_t)column, 1);
	result = written.known && written.last > 0;
	series_release(&written);
	return result;
}

static void add_written_log(struct findings *findings, const struct model *model)
{
	bool written = false;

	for (size_t i = 0; i < model->nr_processes && !written; i++)
		written = has_written(model, model->processes[i]);
	if (written)
		findings_add(findings, "written_log_bytes", UNIT_BYTES, (double)model->log_bytes, false,
			     document_text(findings->document,
					   "the bytes written to disk may include pages of the "
					   "log: up to %s, more in a long run",
					   findings_number(findings, UNIT_BYTES, (double)model->log_bytes)));
}

static void add_log(struct findings *findings, const struct model *model)
{
	double bytes = (double)(model->log_bytes + model->saved_log_bytes);
	const char *number = findings_number(findings, UNIT_BYTES, bytes);

	if (model->log_bytes)
		findings_add(findings, "log_bytes", UNIT_BYTES, bytes, false,
			     document_text(findings->document, "%s of log; %s single calls in it", number,
					   findings_number(findings, UNIT_COUNT, (double)model->nr_slices)));
	else if (bytes > 0)
		findings_add(
			findings, "log_bytes", UNIT_BYTES, bytes, false,
			document_text(findings->document, "%s of log, summed up in a saved profile", number));
}

/* A program that is exec'ed has its pid's time before, too: that is in the report. */
static void add_cpu_before(struct findings *findings, const struct model *model)
{
	double cpu_ns = 0;

	for (size_t i = 0; i < model->nr_processes; i++)
		if (!model->processes[i]->header.exec_count)
			cpu_ns += (double)model->processes[i]->header.start_cpu_ns;
	if (cpu_ns > 0)
		findings_add(findings, "cpu_before_start_ns", UNIT_NS, cpu_ns, false,
		    document_text(findings->document,
				  "%s of CPU time before the recorder started: exec, dynamic linker",
				  findings_number(findings, UNIT_NS, cpu_ns)));
}

static void add_cost(struct findings *findings, const struct model *model)
{
	double start_ns = 0, sampler_ns = 0;

	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct log_header *header = &model->processes[i]->header;

		if (header->start_cost_ns != LOG_NONE)
			start_ns += (double)header->start_cost_ns;
		if (header->sampler_cpu_ns != LOG_NONE)
			sampler_ns += (double)header->sampler_cpu_ns;
	}
	if (start_ns > 0)
		findings_add(findings, "start_cost_ns", UNIT_NS, start_ns, false,
		    document_text(findings->document, "%s to start the recorder",
				  findings_number(findings, UNIT_NS, start_ns)));
	if (sampler_ns > 0)
		findings_add(findings, "sampler_cpu_ns", UNIT_NS, sampler_ns, false,
		    document_text(findings->document, "%s of CPU time for sampling",
				  findings_number(findings, UNIT_NS, sampler_ns)));
	add_cpu_before(findings, model);
	add_log(findings, model);
}

/* Whatever may have readings: the processes, then what sampled them from outside. */
static struct process *sampler_of(const struct model *model, size_t i)
{
	return i < model->nr_processes ? model->processes[i] : model->monitors[i - model->nr_processes];
}

/*
 * The cost of one reading of a set, in the process where it takes longest, and how many readings were
 * dropped.
 */
static void add_row_cost(struct findings *findings, const struct model *model, const char *set)
{
	const struct rowset *costliest = NULL;
	uint64_t step = 1;

	for (size_t i = 0; i < model->nr_processes + model->nr_monitors; i++) {
		const struct rowset *rows = process_rowset(sampler_of(model, i), set);

		if (rows && rows->first_cost_ns && (!costliest || rows->cost_ns > costliest->cost_ns))
			costliest = rows;
		if (rows && rows->step > step)
			step = rows->step;
	}
	if (costliest) {
		double cost_ns = (double)(costliest->cost_ns ? costliest->cost_ns : costliest->first_cost_ns);

		findings_add(
			findings, document_text(findings->document, "sampling_%s_ns", set), UNIT_NS, cost_ns,
			false,
			document_text(findings->document, "%s to read the set %s once, %s the first time%s",
				      findings_number(findings, UNIT_NS, cost_ns), set,
				      findings_number(findings, UNIT_NS, (double)costliest->first_cost_ns),
				      model->nr_processes > 1 ? ", in the process where it takes longest"
							      : ""));
	}
	if (step > 1)
		findings_add(
			findings, document_text(findings->document, "%s_row_step", set), UNIT_NONE,
			(double)step, false,
			document_text(findings->document,
				      "every %" PRIu64 "th reading of the set %s was kept%s", step, set,
				      model->nr_processes > 1 ? ", in the process that kept fewest" : ""));
}

static void add_interval(struct findings *findings, const struct model *model)
{
	double set_ns = model->nr_processes ? (double)model->processes[0]->header.interval_ns : 0;
	const struct rowset *longest = NULL;

	for (size_t i = 0; i < model->nr_processes + model->nr_monitors; i++) {
		const struct rowset *rows = process_rowset(sampler_of(model, i), "process");

		if (rows && (!longest || rows->interval_ns > longest->interval_ns))
			longest = rows;
	}
	if (longest && set_ns > 0 && (double)longest->interval_ns > set_ns)
		findings_add(findings, "sampling_interval_ns", UNIT_NS, (double)longest->interval_ns, false,
			     document_text(findings->document,
					   "%s between samples instead of %s: one takes %s",
					   findings_number(findings, UNIT_NS, (double)longest->interval_ns),
					   findings_number(findings, UNIT_NS, set_ns),
					   findings_number(findings, UNIT_NS, (double)longest->cost_ns)));
}

/* Each set once. */
static void add_sampling(struct findings *findings, const struct model *model)
{
	const char **sets = NULL;
	size_t nr = 0;

	add_interval(findings, model);
	for (size_t i = 0; i < model->nr_processes + model->nr_monitors; i++) {
		const struct process *process = sampler_of(model, i);

		for (size_t j = 0; j < process->nr_rowsets; j++) {
			size_t k = 0;

			while (k < nr && strcmp(sets[k], process->rowsets[j].set) != 0)
				k++;
			if (k < nr)
				continue;
			APPEND(sets, nr) = process->rowsets[j].set;
			add_row_cost(findings, model, sets[k]);
		}
	}
	free(sets);
}

/* Each insideme-run that starts a program, or samples one, has a log of its own. */
static void add_launches(struct findings *findings, const struct model *model)
{
	if (model->nr_monitors > model->nr_runs)
		findings_add(findings, "launches", UNIT_COUNT, (double)model->nr_monitors, true,
			     document_text(findings->document,
					   "insideme-run recorded %zu launches as %s: numbers are their sums",
					   model->nr_monitors,
					   model->nr_runs > 1 ? document_count(findings->document,
									       model->nr_runs, "run")
							      : "this run"));
}

void findings_collect(struct findings *findings, struct document *document, const struct model *model)
{
	*findings = (struct findings){ .document = document };
	add_launches(findings, model);
	if (model->nr_unreadable)
		findings_add(findings, "unreadable_logs", UNIT_COUNT, (double)model->nr_unreadable, true,
		    document_text(document, "%zu logs could not be read", model->nr_unreadable));
	if (model->nr_damaged)
		findings_add(findings, "damaged_records", UNIT_COUNT, (double)model->nr_damaged, true,
		    document_text(document, "%" PRIu64 " damaged records were left out", model->nr_damaged));
	add_losses(findings, model);
	add_off(findings, model);
	findings_of_times(findings, model);
	findings_of_heap(findings, model);
	findings_of_ranks(findings, model);
	add_forks(findings, model);
	add_samples(findings, model);
	for (struct object *object = model->objects; object; object = object->next)
		add_nameless(findings, model, object);
	add_nameless(findings, model, NULL);
	for (size_t i = 0; i < model->nr_processes; i++)
		add_process(findings, model->processes[i]);
	add_not_sampled(findings, model);
	add_written_log(findings, model);
	add_cost(findings, model);
	add_sampling(findings, model);
}

void findings_release(struct findings *findings)
{
	free(findings->list);
}

void doubts_tell(struct document *document, const struct model *model)
{
	struct findings findings;

	findings_collect(&findings, document, model);
	document->doubts = document_new(document, (findings.nr + 1) * sizeof(*document->doubts));
	for (size_t i = 0; i < findings.nr; i++)
		if (findings.list[i].is_doubt)
			document->doubts[document->nr_doubts++] = findings.list[i].text;
	findings_release(&findings);
}
