/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The input of a view: the runs that were asked for as one model, and the options. */
#pragma once

#include <inttypes.h>

#include "analyzer/ask/options.h"
#include "analyzer/cells/diff.h"
#include "analyzer/cells/process_tree.h"
#include "analyzer/runs/run.h"
#include "analyzer/tables/document.h"

struct report {
	struct model *model;
	const struct run *runs;		/* at least one */
	size_t nr_runs;
	const struct options *options;
	const char *title;		/* of tables: the program, and what it is limited to */
	const struct report *before;	/* --diff: what it is compared with; NULL: nothing */
	const struct diff *diff;	/* both side by side; NULL: likewise */
	const struct gate_rules *gate;	/* --gate; NULL: none */
	bool failed;			/* a rule of it does: view_gate() says so */
	const char *limits;		/* "--rank 0-3 --thread worker*"; NULL: none */
};

/* The name of the program that the report is about. */
const char *report_program(const struct report *report);
/*
 * The process whose end is the end of @run: the first process, or of ranks the one that ended worst; its last
 * image. NULL: none.
 */
const struct process *report_worst_end(const struct process_tree *tree, uint32_t run);
/* The same of the run that has the first process. */
const struct process *report_ended(const struct report *report);
/* Flags of columns that csv and json have of this report: data_also. */
unsigned int report_data_also(const struct report *report);
/* If there are several runs, add the columns run and run_number to those that @table shows. */
void report_tell_runs(const struct report *report, struct document *document, struct table *table);
/* Below such tables: which run has which number. */
void report_name_runs(const struct report *report, struct document *document);
/* Fill an empty document by @build; add what --focus, --exclude and --depth leave out. Return: as @build */
int report_build(struct report *report, struct document *document,
		 int (*build)(struct document *, struct report *));
/* Is it about some threads only? Then views leave out what is known of whole processes only. */
bool report_is_of_threads(const struct report *report);
/* Did any process count its heap, or time its calls? If not, views leave out those columns. */
bool report_has_heap(const struct report *report);
/* Did any process record its live blocks? Then the peak and what was not freed are known. */
bool report_has_live_heap(const struct report *report);
bool report_has_times(const struct report *report);
bool report_has_ranks(const struct report *report);
/* Did any process time only some of its calls? Then times have an error. */
bool report_has_errors(const struct report *report);
/* Did timing auto count functions? Then their time is from samples. */
bool report_has_counted(const struct report *report);
/* For the line below a table of times: how times of calls are known that were not timed; "": all were. */
const char *report_error_note(const struct report *report);
/* For the line below a table of times: what the mark means; "": nothing is marked. */
const char *report_doubt_note(const struct report *report);
/* For the same line: what a cell of two numbers of calls means; "": there is none. */
const char *report_nested_note(const struct report *report);
/* For the same line: what a percentile leaves out; "": nothing. */
const char *report_open_note(const struct report *report);
/* The line below a table where model->is_sampled: of so many samples. */
const char *report_sampled_note(struct document *document, const struct report *report);
/* The column by which functions or paths (with what they @total call) are sorted then. */
const char *report_sampled_sort(const struct report *report, bool total);
/* The column by which functions are sorted: their own time, by hooks or samples; else their calls. */
const char *report_functions_sort(const struct report *report);
/* Is anything of the runs damaged or unreadable, as far as they were read? */
bool report_has_damage(const struct report *report);
/*
 * The number of threads, or of those with calls. Each thread of a shared record counts; a thread that went on
 * through an exec counts once.
 */
uint64_t report_threads(const struct report *report);
uint64_t report_threads_with_calls(const struct report *report);
