/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The views. Each makes a document of a report. To add one: a file with its function, and a line in
 * summary/views.c.
 */
#pragma once

#include "analyzer/cells/view_context.h"
#include "analyzer/tables/document.h"

struct view {
	const char *name;
	const char *help;		/* one line */
	/* Fill an empty document. Return: 0, or an exit status after an error() */
	int (*build)(struct document *document, struct report *report);
	/* it knows times, so --from and --to limit it; others have totals only */
	bool has_times;
	/* The same for two runs side by side, with report->before and report->diff; NULL: not available */
	int (*compare)(struct document *document, struct report *report);
};

extern const struct view views[];	/* ends with a name of NULL */

/* --gate shows this instead of a view. Sets report->failed. */
int view_gate(struct document *document, struct report *report);

int view_functions(struct document *document, struct report *report);
int view_functions_diff(struct document *document, struct report *report);
/* For each of these figures of --gate, the functions that changed most in it. */
void view_functions_diff_of(struct document *document, struct report *report, const char *const *figures,
			    size_t nr);
int view_tree_diff(struct document *document, struct report *report);
int view_tree(struct document *document, struct report *report);
int view_callers(struct document *document, struct report *report);
int view_callees(struct document *document, struct report *report);
int view_fields(struct document *document, struct report *report);
int view_lines(struct document *document, struct report *report);
int view_heap(struct document *document, struct report *report);
int view_waits(struct document *document, struct report *report);
int view_errors(struct document *document, struct report *report);
int view_processes(struct document *document, struct report *report);
int view_threads(struct document *document, struct report *report);
int view_stacks(struct document *document, struct report *report);
int view_calls(struct document *document, struct report *report);
int view_events(struct document *document, struct report *report);
int view_steps(struct document *document, struct report *report);
int view_resources(struct document *document, struct report *report);
int view_timers(struct document *document, struct report *report);
int view_marks(struct document *document, struct report *report);
int view_machine(struct document *document, struct report *report);
int view_mpi(struct document *document, struct report *report);
int view_messages(struct document *document, struct report *report);
int view_balance(struct document *document, struct report *report);
int view_clocks(struct document *document, struct report *report);
int view_late(struct document *document, struct report *report);
int view_blocked(struct document *document, struct report *report);

/* The table of waits, longest first, likewise. Its note says how much of the blocked time has a name. */
struct table waits_table(struct document *document, const struct report *report);

/*
 * The table of functions, which is also part of the summary. It lives as long as the document; the caller
 * sets its titles.
 * @allocators: only functions that allocated, charged with what the C++ library allocated for them
 */
struct table functions_table(struct document *document, struct report *report, bool allocators);

/* ns that threads were on processors, ready or blocked in functions; NAN: not known, or long to read */
double functions_used_ns(struct report *report);
bool functions_know_shares(struct report *report);

/*
 * Do threads mostly wait? Functions are then shown by CPU time. Otherwise those of idle threads would come
 * first.
 */
bool functions_are_by_cpu(struct report *report);
