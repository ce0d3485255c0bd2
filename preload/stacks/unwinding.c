/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is on its way between a throw and its catch. gcc's code calls the exit hook while calls are left, clang's does
 * not, and destructors make calls of their own meanwhile: so the innermost call that was open at the throw is known
 * by its frame, and when it has ended, the one below it takes its place.
 */
#include "preload/stacks/error_records.h"

#include "preload/calls/calls.h"

void unwinding_move(struct log_unwinding *unwinding, const struct log_thread *thread)
{
	unwinding->top_addr = thread->top_addr;
	unwinding->left_addr = top_frame(thread)->stack_addr;
}

void unwinding_begin(struct log_thread *thread, const void *object, uintptr_t stack_addr, uint32_t reason)
{
	struct log_errors *errors = errors_of(thread);
	struct log_unwinding *unwinding;

	if (!thread->frames || errors->nr_unwindings == LOG_UNWINDINGS)
		return;
	unwinding = &errors->unwindings[errors->nr_unwindings++];
	unwinding->top_addr = 0;	/* a handler may come here, too */
	signal_fence();
	unwinding->object_addr = (uint64_t)object;
	unwinding->stack_addr = stack_addr;
	unwinding->reason = reason;
	unwinding_move(unwinding, thread);
	thread->stack_bytes = 0;	/* every hook goes the slow way until it has arrived */
}

/* One that was left without a catch that we saw, by a jump for example, is over when its call is no longer there. */
static bool is_over(const struct log_unwinding *unwinding, const struct log_frame *top)
{
	return unwinding->left_addr < top->stack_addr ||
	       (unwinding->top_addr == (uint64_t)top && unwinding->left_addr != top->stack_addr);
}

struct log_unwinding *unwinding_of_top(struct log_thread *thread)
{
	struct log_errors *errors = errors_of(thread);
	struct log_unwinding *unwinding;

	while (errors && errors->nr_unwindings) {
		unwinding = &errors->unwindings[errors->nr_unwindings - 1];
		if (!is_over(unwinding, top_frame(thread)))
			return unwinding->top_addr == thread->top_addr ? unwinding : NULL;
		errors->nr_unwindings--;
	}
	return NULL;
}

struct log_unwinding *unwinding_find(struct log_thread *thread, const void *object)
{
	struct log_errors *errors = errors_of(thread);

	for (uint32_t i = errors ? errors->nr_unwindings : 0; i-- > 0;) {
		if (errors->unwindings[i].object_addr != (uint64_t)object)
			continue;
		errors->nr_unwindings = i + 1;
		return &errors->unwindings[i];
	}
	return NULL;
}

void unwinding_end(struct log_thread *thread, struct log_unwinding *unwinding)
{
	struct log_errors *errors = errors_of(thread);

	errors->nr_unwindings = (uint32_t)(unwinding - errors->unwindings);
}

void unwinding_end_all(struct log_thread *thread)
{
	if (thread->errors)
		errors_of(thread)->nr_unwindings = 0;
}
