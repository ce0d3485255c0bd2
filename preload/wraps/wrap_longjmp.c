/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Wrappers of the longjmp family: they end the calls between here and the target. The hooks would notice
 * too, but only at the next entry, by its place on the stack.
 */
#include "preload/wraps/wraps.h"

#include "preload/calls/calls.h"
#include "preload/objects/next_functions.h"
#include "preload/stacks/error_records.h"
#include "preload/stacks/stacks.h"

/*
 * The hooks' frame addresses are this much below their caller's stack pointer: return address, frame
 * pointer.
 */
#define HOOK_FRAME_BYTES (2 * sizeof(void *))

void calls_end_below(struct log_thread *thread, uintptr_t stack_addr, uint32_t reason)
{
	/* The jump may leave an allocator, or a handler that interrupted a hook. */
	thread->heap_inside = 0;
	live_reads_clock = false;
	thread->broken_reason = reason;
	stack_unwind_to(thread, stack_addr);
	thread->broken_reason = LOG_BROKEN_UNSEEN;
}

/* A jump that leaves no call is not counted: interpreters make many. */
static struct log_error *count_jump(struct log_thread *thread, uintptr_t stack_addr, uintptr_t caller)
{
	struct error_place place = { .kind = LOG_ERROR_LONGJMP, .addr = caller };

	if (!thread->frames || top_frame(thread)->stack_addr >= stack_addr)
		return NULL;
	return error_count(thread, &place);
}

static void before_jump(const struct __jmp_buf_tag *to, void *caller)
{
	uintptr_t target = jump_target(to->__jmpbuf);
	struct log_thread *thread = live.log ? self : NULL;
	struct log_error *error;

	if (target && thread) {
		error = count_jump(thread, target - HOOK_FRAME_BYTES, (uintptr_t)caller);
		calls_end_below(thread, target - HOOK_FRAME_BYTES,
				error ? error_reason(error) : LOG_BROKEN_UNSEEN);
		if (error)
			error_caught(thread, error_reason(error));
	}
}

EXPORT _Noreturn void longjmp(struct __jmp_buf_tag to[1], int value)
{
	before_jump(to, __builtin_return_address(0));
	real_find(longjmp)(to, value);
	__builtin_unreachable();
}

EXPORT _Noreturn void _longjmp(struct __jmp_buf_tag to[1], int value)
{
	before_jump(to, __builtin_return_address(0));
	real_find(_longjmp)(to, value);
	__builtin_unreachable();
}

EXPORT _Noreturn void siglongjmp(struct __jmp_buf_tag to[1], int value)
{
	before_jump(to, __builtin_return_address(0));
	real_find(siglongjmp)(to, value);
	__builtin_unreachable();
}

EXPORT _Noreturn void __longjmp_chk(struct __jmp_buf_tag to[1], int value);
EXPORT _Noreturn void __longjmp_chk(struct __jmp_buf_tag to[1], int value)
{
	before_jump(to, __builtin_return_address(0));
	real_find(__longjmp_chk)(to, value);
	__builtin_unreachable();
}
