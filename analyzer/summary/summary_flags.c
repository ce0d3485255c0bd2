/* SPDX-License-Identifier: GPL-3.0-or-later */
/* First page: flags that make the next run faster and its times truer, and how to measure true shares. */
#include "analyzer/summary/summary.h"

#include <math.h>
#include <string.h>

#include "analyzer/cells/flag_advice.h"

#define CALLS_MIN	100000	/* fewer calls cost nothing noticeable */
#define HOOKS_NS	30	/* cost of one call */
#define COUNTED_NS	1	/* the same if it is only counted, at least */
#define LEFT_MAX	0.75	/* of all calls; flags that leave more are not worth typing */
/* of the time in functions, or of the CPU time if that is less, because the rest was waiting */
#define SHARE_MIN	0.05
#define COMMAND_MAX	300	/* a longer command is not printed for pasting */

const char *summary_command(struct document *document, const struct process *process)
{
	const char *command = process->command;

	if (command[0] && strlen(command) <= COMMAND_MAX)
		return command;
	return document_text(document, "./%s its arguments", process->header.program);
}

/* The end of the sentence about short calls: what hooks do to them. */
static const char *hooks(struct document *document, const struct excludes *excludes)
{
	if (excludes->counted_calls)
		return "most of which were only counted.\nHooks slow them down all the same, and keep the "
		       "compiler from inlining them";
	return !(excludes->short_hooks_ns > 0)
		       ? "most of it for the hooks"
		       : document_text(
				 document, "their hooks %s more",
				 document_number(document, UNIT_NS,
						 excludes->short_hooks_ns / (double)excludes->short_calls));
}

/* Hooks slow down short functions more than long ones. No arithmetic undoes that. */
static void add_shares(struct document *document, const struct report *report)
{
	const struct process *process = report->model->processes[0];

	document_add(
		document, "Shares",
		document_text(
			document,
			"%s\nFor true shares, build with the same flags but without -finstrument-functions,\n"
			"and take CPU samples of that build%s:\n  insideme-run --sample=250 -- %s\n"
			"  insideme-report",
			report_has_counted(report)
				? "Around hooks the compiler inlines less, even if calls are only "
				  "counted: a build\nwithout them may be many times faster."
				: "Hooks make short functions look larger than they are.",
			process->header.rank >= 0 ? ", each rank under insideme-run" : "",
			summary_command(document, process)))
		->apart = true;
}

static const char *calls_left(struct document *document, uint64_t nr)
{
	return document_text(document, "%s %s", document_count(document, nr, "call"), nr == 1 ? "is" : "are");
}

void summary_flags(struct document *document, const struct report *report)
{
	const struct model *model = report->model;
	struct excludes excludes;
	double cpu_ns, hooks_ns;
	bool are_dear;

	if (model->calls < CALLS_MIN)
		return;
	summary_cpu(document, model, &cpu_ns);
	excludes_find(&excludes, model);
	hooks_ns = (double)(excludes.short_calls - excludes.counted_calls) * HOOKS_NS +
		   (double)excludes.counted_calls * COUNTED_NS;
	are_dear = hooks_ns >= SHARE_MIN * fmin(model->functions_ns, cpu_ns);
	if (are_dear && (double)excludes.calls_left <= LEFT_MAX * (double)model->calls)
		document_add(
			document, "Flags",
			document_text(
				document,
				"%s of %s calls take less than %d ns, %s.\nCompile with\n%s%s%s%s%s%sand "
				"at most %s left\n(clang: "
				"-finstrument-functions-after-inlining instead)",
				document_number(document, UNIT_COUNT, excludes.short_calls),
				document_number(document, UNIT_COUNT, model->calls), SHORT_CALL_NS,
				hooks(document, &excludes),
				excludes.files[0] ? "  -finstrument-functions-exclude-file-list=" : "",
				excludes.files, excludes.files[0] ? "\n" : "",
				excludes.functions[0] ? "  -finstrument-functions-exclude-function-list="
						      : "",
				excludes.functions, excludes.functions[0] ? "\n" : "",
				calls_left(document, excludes.calls_left)))
			->apart = true;
	if (are_dear && report->nr_runs == 1 && model->nr_processes)
		add_shares(document, report);
	excludes_release(&excludes);
}
