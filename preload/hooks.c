/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The hooks that -finstrument-functions calls. Together they cost little more than their two clock readings:
 * no lock, no system call, no allocation; whatever is rare is a tail call to somewhere else.
 */
#include "calls.h"
#include "stacks.h"

static NOINLINE void enter_new_path(struct log_thread *thread, uint64_t function_addr, uintptr_t stack_addr,
				    uintptr_t return_addr)
{
	uint32_t node = path_find(thread, thread->current, function_addr);

	call_begin(thread, node, function_addr, stack_addr, return_addr);
}

static ALWAYS_INLINE void enter(struct log_thread *thread, uint64_t function_addr, uintptr_t stack_addr,
				uintptr_t return_addr)
{
	uint32_t parent = thread->current, ref = *path_cache_entry(thread, parent, function_addr);
	const struct log_node *node = node_at(live.log, ref);

	if (unlikely(node->function_addr != function_addr || node->parent != parent))
		enter_new_path(thread, function_addr, stack_addr, return_addr);
	else
		call_begin(thread, ref, function_addr, stack_addr, return_addr);
}

/* The thread's first event, or something is to be set right before its frame can follow the top one. */
static NOINLINE void enter_slowly(uint64_t function_addr, uintptr_t stack_addr, uintptr_t return_addr)
{
	struct log_thread *thread = thread_self();

	if (thread && stack_before_enter(thread, function_addr, stack_addr, return_addr))
		enter(thread, function_addr, stack_addr, return_addr);
}

/*
 * A top frame below us on the stack is dead, and so is one at our place that was entered from the same
 * place: this very call is made again. Inlined callees share our place, but not the place they return to.
 */
static ALWAYS_INLINE bool follows_top(const struct log_thread *thread, uintptr_t stack_addr, uintptr_t return_addr)
{
	const struct log_frame *top = top_frame(thread);

	if (unlikely(stack_addr - thread->stack_low_addr >= thread->stack_bytes))
		return false;	/* on another stack, or without room for frames */
	if (unlikely(top->stack_addr <= stack_addr) &&
	    (top->stack_addr < stack_addr || top->return_addr == return_addr))
		return false;
	return likely((uint64_t)top < thread->limit_addr);
}

EXPORT void __cyg_profile_func_enter(void *function, void *call_site);
EXPORT void __cyg_profile_func_enter(void *function, void *call_site)
{
	struct log_thread *thread = self;
	uintptr_t stack_addr = (uintptr_t)__builtin_frame_address(0);
	uintptr_t return_addr = (uintptr_t)__builtin_return_address(0);

	(void)call_site;
	if (likely(live.log && thread) && likely(follows_top(thread, stack_addr, return_addr)))
		enter(thread, (uint64_t)function, stack_addr, return_addr);
	else
		enter_slowly((uint64_t)function, stack_addr, return_addr);
}

static NOINLINE void exit_slowly(uint64_t function_addr, uintptr_t stack_addr, uint64_t now)
{
	struct log_thread *thread = thread_self();

	if (thread && stack_before_exit(thread, function_addr, stack_addr, now))
		call_end(thread, top_frame(thread), now, false);
}

EXPORT void __cyg_profile_func_exit(void *function, void *call_site);
EXPORT void __cyg_profile_func_exit(void *function, void *call_site)
{
	uint64_t now = likely(live.timing == LOG_TIMING_EXACT) ? now_ticks() : 0;
	struct log_thread *thread = self;
	uintptr_t stack_addr = (uintptr_t)__builtin_frame_address(0);

	(void)call_site;
	if (likely(live.log && thread) && likely(top_frame(thread)->function_addr == (uint64_t)function) &&
	    likely(stack_addr - thread->stack_low_addr < thread->stack_bytes))
		call_end(thread, top_frame(thread), now, false);
	else
		exit_slowly((uint64_t)function, stack_addr, now);
}
