/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One pass over all single calls, in the order of their ends: what a call's callees used was known before it. */
#include "function_use.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "slices.h"
#include "thread_use.h"

/* Ended calls of a thread that their caller's record has not taken in yet; neighbours of one caller are one. */
struct pending {
	const struct tree_node *parent;
	int64_t middle;			/* of the newest: it lies within the caller, whatever rounding did */
	double used[NR_USES];
};

/* function_use.c's own part of a thread. */
struct call_stack {
	struct thread_use use;
	struct pending *pending;
	size_t nr;
};

/* Times during which a function's calls were open: apart from each other, in the order of time. */
struct span {
	int64_t begin, end;
};

struct spans {
	struct span *list;
	size_t nr;
};

static struct call_stack *stack_of(struct thread *thread, uint32_t tid)
{
	struct call_stack *stack = thread->call_stack;

	if (!stack) {
		stack = thread->call_stack = xcalloc(1, sizeof(*stack));
		thread_use_open(&stack->use, thread, tid);
	} else if (stack->use.tid != tid) {
		thread_use_close(&stack->use);
		thread_use_open(&stack->use, thread, tid);
		stack->nr = 0;
	}
	return stack;
}

static struct function_use *use_of(struct function *function)
{
	if (!function->use) {
		function->use = xcalloc(1, sizeof(*function->use));
		for (int i = 0; i < NR_USES; i++)
			function->use->total[i] = function->use->self[i] = NAN;
	}
	return function->use;
}

static void add(double *sum, double number)
{
	if (!isnan(number))
		*sum = isnan(*sum) ? number : *sum + number;
}

static bool is_within_itself(const struct tree_node *node)
{
	for (const struct tree_node *above = node->parent; above; above = above->parent)
		if (above->function == node->function)
			return true;
	return false;
}

/* What callees used is taken off the call's own; and the call waits for its caller in their place. */
static void take_in(struct call_stack *stack, const struct tree_node *node, int64_t start, int64_t end, double *self)
{
	struct pending *top = stack->nr ? &stack->pending[stack->nr - 1] : NULL;
	double used[NR_USES];

	memcpy(used, self, sizeof(used));
	for (; top && top->middle >= start; top = stack->nr ? &stack->pending[stack->nr - 1] : NULL) {
		for (int i = 0; i < NR_USES; i++)
			self[i] -= top->used[i];
		stack->nr--;
	}
	if (!top || top->parent != node->parent) {
		stack->pending = xgrow(stack->pending, stack->nr, sizeof(*stack->pending));
		top = &stack->pending[stack->nr++];
		memset(top, 0, sizeof(*top));
		top->parent = node->parent;
	}
	top->middle = start + (end - start) / 2;
	for (int i = 0; i < NR_USES; i++)
		top->used[i] += used[i];
}

/* @spans end before @end; those that the new one touches become one with it. */
static void add_span(struct spans *spans, int64_t begin, int64_t end)
{
	while (spans->nr && spans->list[spans->nr - 1].end >= begin) {
		struct span *last = &spans->list[--spans->nr];

		begin = last->begin < begin ? last->begin : begin;
		end = last->end > end ? last->end : end;
	}
	spans->list = xgrow(spans->list, spans->nr, sizeof(*spans->list));
	spans->list[spans->nr++] = (struct span){ begin, end };
}

/* @rss_growth: as it was read at the call's entry and exit; NAN: by the samples */
static void add_call(struct thread *thread, uint32_t tid, struct tree_node *node, int64_t start, int64_t end, double rss_growth)
{
	struct call_stack *stack = stack_of(thread, tid);
	struct function_use *use = use_of(node->function);
	double total[NR_USES], self[NR_USES];

	thread_use_between(&stack->use, start, end, total);
	if (!isnan(rss_growth))
		total[USE_RSS_BYTES] = rss_growth;
	memcpy(self, total, sizeof(self));
	take_in(stack, node, start, end, self);
	use->calls++;
	for (int i = 0; i < NR_USES; i++)
		add(&use->self[i], self[i]);
	if (is_within_itself(node))
		return;
	for (int i = 0; i < NR_USES; i++)
		add(&use->total[i], total[i]);
	add_span(node->function->spans, start, end);
}

/* Those that never ended, the innermost first; they end with their process. */
static void add_open_calls(struct process *process)
{
	for (size_t i = 0; i < process->nr_stacks; i++) {
		const struct open_stack *stack = &process->stacks[i];

		for (size_t j = stack->nr_calls; j-- > 0;)
			if (stack->calls[j].node->function->kind == FUNCTION_PLAIN && !stack->left)
				add_call(stack->thread, stack->thread->tid, stack->calls[j].node, stack->calls[j].since,
					 process->last, NAN);
	}
}

static void finish_function(struct function *function)
{
	for (size_t i = 0; function->use && i < function->spans->nr; i++)
		function->use->elapsed_ns += (double)(function->spans->list[i].end - function->spans->list[i].begin);
}

static void release_stacks(const struct process *process)
{
	for (size_t i = 0; i < process->nr_threads; i++) {
		struct call_stack *stack = process->threads[i]->call_stack;

		if (!stack)
			continue;
		thread_use_close(&stack->use);
		free(stack->pending);
		free(stack);
		process->threads[i]->call_stack = NULL;
	}
}

/* Of a process with several threads it is not known whose it is. */
static double rss_growth(const struct slice *slice)
{
	return slice->has_memory && thread_is_alone(slice->thread) ? (double)(slice->rss_after_bytes - slice->rss_before_bytes) : NAN;
}

void function_use_read(struct model *model)
{
	struct slice_reader *reader = slices_open_all(model);
	struct spans *spans = xcalloc(model->nr_functions + 1, sizeof(*spans));
	struct slice slice;

	for (size_t i = 0; i < model->nr_functions; i++)
		model->functions[i]->spans = &spans[i];
	while (slices_next(reader, &slice))
		if (slice.node->function->spans)
			add_call(slice.thread, slice.tid, slice.node, slice.start, slice.end, rss_growth(&slice));
	slices_close(reader);
	for (size_t i = 0; i < model->nr_processes; i++) {
		add_open_calls(model->processes[i]);
		release_stacks(model->processes[i]);
	}
	for (size_t i = 0; i < model->nr_functions; i++) {
		finish_function(model->functions[i]);
		free(spans[i].list);
		model->functions[i]->spans = NULL;
	}
	free(spans);
}
