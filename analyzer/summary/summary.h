/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of the first page. Each adds its sections to the document. */
#ifndef INSIDEME_SUMMARY_H
#define INSIDEME_SUMMARY_H

#include "analyzer/views/views.h"

/* Which run, its command, how it ended, what was recorded, what was open if it was killed. */
void summary_run(struct document *document, struct report *report);
/* In place of command and end where several runs were added up: a line for each. */
void summary_runs(struct document *document, const struct model *model);
/* How the processes ended, where there are several. */
void summary_processes(struct document *document, struct report *report);
/* "CPU time of all: 3.1 s" of the processes that were recorded, nothing where it is known of none; @all_ns: NAN where not of all. */
const char *summary_cpu(struct document *document, const struct model *model, double *all_ns);
/* CPU, memory and I/O as curves. */
void summary_resources(struct document *document, struct report *report);
/* In place of the functions where there are none: why, and what to do. */
void summary_no_functions(struct document *document, const struct report *report);
/* Where calls take less time than their hooks: flags that leave such out, if most are, and how to see shares without hooks. */
void summary_flags(struct document *document, const struct report *report);
/* Programs that were not recorded, or have no hooks. */
void summary_others(struct document *document, struct report *report);

#endif
