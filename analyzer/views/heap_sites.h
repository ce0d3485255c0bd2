/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of the view heap beside its functions: call paths at the peak, what was not freed, sizes, what is not heap. */
#ifndef INSIDEME_HEAP_SITES_H
#define INSIDEME_HEAP_SITES_H

#include "analyzer/cells/view_context.h"
#include "analyzer/model/model.h"
#include "analyzer/tables/document.h"

/* "main > run > parse" of a path; "(outside of functions)" of the root. */
const char *heap_path_text(struct document *document, const struct tree_node *node);

/* "1.92 GiB at the peak in 2.0 M blocks, 18.4 s after the start, in main > run > parse". */
/* The only process whose live blocks are known, NULL: there is none, or there are several. */
struct process *heap_peak_process(const struct model *model);
/* "Open then": what its other threads were in. */
void heap_add_open(struct document *document, const struct report *report);
const char *heap_peak_text(struct document *document, const struct report *report);

/* Where stacks were sampled: what was counted exactly, and how much the paths' estimates come to. */
const char *heap_sampled_text(struct document *document, const struct report *report);

/* The call paths whose blocks lived at the peak, the largest first. */
void heap_add_peak(struct document *document, const struct report *report);
/* Blocks that were not freed, by who allocated them. */
void heap_add_not_freed(struct document *document, const struct report *report);
/* How large allocations were. */
void heap_add_sizes(struct document *document, const struct report *report);
/* The rest of RSS when the heap was highest. Of one process. */
void heap_add_rest(struct document *document, const struct report *report);

/* How fast heap and RSS grew, by the line that fits their samples best. Of one process. */
void heap_add_trend(struct document *document, const struct report *report);

/*
 * How old @nr blocks are in a process that ran for @elapsed_ns: "all from the first 1.07 s, kept from start".
 * "": it was too short to tell.
 */
const char *heap_age_text(struct document *document, const struct heap_age *age, double elapsed_ns);

/* Is it one of std:: or of what is below that? After resolve_names(). */
bool function_is_of_cpp_library(const struct function *function);

/*
 * Fill charged_heap of all functions: what a function of the library allocated or freed goes to the nearest caller that
 * is none, or to the outermost one where all are.
 */
void heap_charge(struct model *model);

/* Bytes from one sample to the next, on average; 0: none were asked for. */
uint64_t heap_sample_distance(const struct model *model);
/* "less than 1.50 MiB (95 %)": what may be where no sample was; NULL: nothing is. */
const char *heap_unseen_text(struct document *document, const struct model *model);

#endif
