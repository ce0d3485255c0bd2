/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * View heap: what the other threads were in when the heap was at its peak, known from calls that were
 * recorded singly.
 */
#include "analyzer/views/heap_sites.h"

#include <stdlib.h>

#include "analyzer/calls/slices.h"
#include "analyzer/read/nodes_read.h"
#include "analyzer/tables/document.h"

#define PATHS_MOST	6
/* searching more takes too long; a call that goes on for longer is not found */
#define SLICES_MOST	2000000

struct open_path {
	const struct tree_node *node;
	size_t nr_threads;
};

struct open_then {
	struct process *process;
	int64_t time;
	const struct thread *peaks;	/* the thread of the peak, reported already */
	const struct tree_node **nodes;	/* [nr_threads]: the innermost call; NULL: not known */
};

static void note(struct open_then *then, const struct thread *thread, const struct tree_node *node)
{
	for (size_t i = 0; i < then->process->nr_threads; i++)
		if (then->process->threads[i] == thread && thread != then->peaks && !then->nodes[i])
			then->nodes[i] = node;
}

/* Calls are sorted by their ends, so the first one of a thread that had begun is the innermost. */
static void find_ended(struct open_then *then)
{
	struct slice_reader *reader = slices_open_process(then->process);
	struct slice slice;

	slices_seek(reader, then->time);
	for (int i = 0; i < SLICES_MOST && slices_next(reader, &slice); i++)
		if (slice.start <= then->time && slice.end >= then->time)
			note(then, slice.thread, slice.node);
	slices_close(reader);
}

static void find_still_open(struct open_then *then)
{
	for (size_t i = 0; i < then->process->nr_stacks; i++) {
		const struct open_stack *stack = &then->process->stacks[i];

		for (size_t call = stack->nr_calls; call-- > 0;)
			if (stack->calls[call].start_ticks && stack->calls[call].since <= then->time)
				note(then, stack->thread, stack->calls[call].node);
	}
}

static size_t count_paths(const struct open_then *then, struct open_path *paths)
{
	size_t nr = 0, at;

	for (size_t i = 0; i < then->process->nr_threads; i++) {
		if (!then->nodes[i])
			continue;
		for (at = 0; at < nr && paths[at].node != then->nodes[i]; at++)
			;
		if (at == nr)
			paths[nr++] = (struct open_path){ .node = then->nodes[i] };
		paths[at].nr_threads++;
	}
	return nr;
}

static int by_threads(const void *a, const void *b)
{
	const struct open_path *x = a, *y = b;

	if (x->nr_threads != y->nr_threads)
		return x->nr_threads < y->nr_threads ? 1 : -1;
	return (x->node->id > y->node->id) - (x->node->id < y->node->id);
}

void heap_add_open(struct document *document, const struct report *report)
{
	struct process *process = heap_peak_process(report->model);
	struct open_then then = { .process = process };
	struct open_path *paths;
	const char *text = "";
	size_t nr;

	if (!process || process->heap_peak == NO_TIME || process->nr_threads < 2)
		return;
	then.time = process->heap_peak;
	then.peaks = process->heap_peak_node ? nodes_thread(process, process->header.heap_peak_thread) : NULL;
	then.nodes = document_new(document, process->nr_threads * sizeof(*then.nodes));
	paths = document_new(document, process->nr_threads * sizeof(*paths));
	find_ended(&then);
	find_still_open(&then);
	nr = count_paths(&then, paths);
	qsort(paths, nr, sizeof(*paths), by_threads);
	for (size_t i = 0; i < nr && i < PATHS_MOST; i++)
		text = document_text(document, "%s%s%zu in %s", text, i ? "; " : "", paths[i].nr_threads,
				     heap_path_text(document, paths[i].node));
	if (nr > PATHS_MOST)
		text = document_text(document, "%s; and %zu other call paths", text, nr - PATHS_MOST);
	if (nr)
		document_add(document, "Open then", document_text(document, "in other threads: %s", text))
			->wraps = true;
}
