/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parts of the view heap besides its functions: call paths at the peak, what was not freed, sizes, and what
 * is not heap.
 */
#pragma once

#include "analyzer/cells/view_context.h"
#include "analyzer/model/model.h"
#include "analyzer/tables/document.h"

/* "main > run > parse"; "(outside of functions)" for the root. */
const char *heap_path_text(struct document *document, const struct tree_node *node);

/* "1.92 GiB at the peak in 2.0 M blocks, 18.4 s after the start, in main > run > parse". */
/* The only process whose live blocks are known; NULL: there is none, or there are several. */
struct process *heap_peak_process(const struct model *model);
/* Add "Open then": what the other threads were in at the peak. */
void heap_add_open(struct document *document, const struct report *report);
const char *heap_peak_text(struct document *document, const struct report *report);

/* If stacks were sampled: the exact counts, and the sums of the estimates by path. */
const char *heap_sampled_text(struct document *document, const struct report *report);

/* Add the call paths whose blocks lived at the peak, the largest first. */
void heap_add_peak(struct document *document, const struct report *report);
/* Add the blocks that were not freed, by call path. */
void heap_add_not_freed(struct document *document, const struct report *report);
/* Add how large allocations were. */
void heap_add_sizes(struct document *document, const struct report *report);
/* Add what else was in RSS at the peak of the heap. Only for a single process. */
void heap_add_rest(struct document *document, const struct report *report);

/* Add how fast heap and RSS grew, by the line that fits their samples best. Only for a single process. */
void heap_add_trend(struct document *document, const struct report *report);

/*
 * Set charged_heap of all functions: without what they allocated for their callers. That is what the C++
 * library does, and functions that allocate one block a call and do little else ("xmalloc"). Return: which
 * those are, as a note; NULL: none
 */
const char *heap_charge(struct document *document, struct model *model);

/* Bytes between samples, on average; 0: no samples were asked for. */
uint64_t heap_sample_distance(const struct model *model);
/* "less than 1.50 MiB (95 %)": how much may exist without a sample; NULL: nothing. */
const char *heap_unseen_text(struct document *document, const struct model *model);
