/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of views, and the parts of the first page. */
#pragma once

#include "analyzer/views/views.h"

/* NULL: there is none. */
const struct view *view_find(const char *name);
/* Report that --diff is not available for this view or format, and where it is. Return: EXIT_USAGE */
int view_has_no_diff(void);
/*
 * Report that --from and --to are not available for a view of totals, and where they are. Return:
 * EXIT_USAGE
 */
int view_has_totals_only(const struct view *view);

int view_summary(struct document *document, struct report *report);
int view_quality(struct document *document, struct report *report);

/* ---- what the first page adds to its document ---- */

/* Which run, its command, how it ended, what was recorded, and what was open if it was killed. */
void summary_run(struct document *document, struct report *report);
/* Several runs added up: a line for each, in place of command and end. */
void summary_runs(struct document *document, const struct model *model);
/* A process counts once, however many images it ran by exec. */
size_t summary_count_processes(const struct model *model);
/* How the processes ended, if there are several. */
void summary_processes(struct document *document, struct report *report);
/*
 * "CPU time of all: 3.1 s", of the recorded processes; "" if it is known of none. @all_ns: NAN unless it is
 * known of all.
 */
const char *summary_cpu(struct document *document, const struct model *model, double *all_ns);
/* CPU, memory and I/O as curves. */
void summary_resources(struct document *document, struct report *report);
/* The command of a process, to be pasted; of a long one its program alone. */
const char *summary_command(struct document *document, const struct process *process);
/* If there are no functions: why, and what to do about it. */
void summary_no_functions(struct document *document, const struct report *report);
/*
 * If calls take less time than their hooks: flags that leave such functions out, if these make most calls,
 * and how to see shares of time without hooks.
 */
void summary_flags(struct document *document, const struct report *report);
/* Programs that were not recorded, or have no hooks. */
void summary_others(struct document *document, struct report *report);
