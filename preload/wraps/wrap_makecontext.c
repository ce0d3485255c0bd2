/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Wrapper of makecontext, whose arguments say where a coroutine's stack is. Several stacks may be in one
 * mapping, where their addresses alone do not separate them.
 */
#include <ucontext.h>

#include "preload/objects/next_functions.h"
#include "preload/samples/cpu_samples.h"
#include "preload/stacks/stacks.h"

static NOINLINE void expect(const ucontext_t *context)
{
	struct log_thread *thread = thread_self();

	samples_have_stack(context->uc_stack.ss_size);
	if (thread)
		stack_expect(thread, (uintptr_t)context->uc_stack.ss_sp, context->uc_stack.ss_size);
}

/* Not variadic, so that it ends in a jump and the arguments on the stack stay where they are. */
EXPORT void any_makecontext(ucontext_t *context, void (*function)(void), int count, long a, long b, long c)
	__asm__("makecontext");
EXPORT void any_makecontext(ucontext_t *context, void (*function)(void), int count, long a, long b, long c)
{
	if (live.log && live.log->has_hooks)
		expect(context);
	real_find(makecontext)(context, function, count, a, b, c);
}
