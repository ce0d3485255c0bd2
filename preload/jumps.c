/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Wrappers of the longjmp family and of __cxa_begin_catch: what was open between here and the target is over.
 * The hooks would notice too, but only when the next entry shows it by its place on the stack.
 */
#include "jumps.h"

#include "blocks.h"
#include "real.h"
#include "stacks.h"

/* The hooks' frame addresses are this much below their caller's stack pointer: return address, frame pointer. */
#define HOOK_FRAME_BYTES (2 * sizeof(void *))

static void close_calls_below(uintptr_t stack_addr)
{
	struct log_thread *thread = live.log ? self : NULL;

	if (!thread)
		return;
	thread->heap_inside = 0;
	blocks_unlock(thread);
	stack_unwind_to(thread, stack_addr);
}

static void before_jump(const struct __jmp_buf_tag *to)
{
	uintptr_t target = jump_target(to->__jmpbuf);

	if (target)
		close_calls_below(target - HOOK_FRAME_BYTES);
	if (!real.longjmp || !real._longjmp || !real.siglongjmp || !real.__longjmp_chk)
		real_init();
}

EXPORT _Noreturn void longjmp(struct __jmp_buf_tag to[1], int value)
{
	before_jump(to);
	real.longjmp(to, value);
	__builtin_unreachable();
}

EXPORT _Noreturn void _longjmp(struct __jmp_buf_tag to[1], int value)
{
	before_jump(to);
	real._longjmp(to, value);
	__builtin_unreachable();
}

EXPORT _Noreturn void siglongjmp(struct __jmp_buf_tag to[1], int value)
{
	before_jump(to);
	real.siglongjmp(to, value);
	__builtin_unreachable();
}

EXPORT _Noreturn void __longjmp_chk(struct __jmp_buf_tag to[1], int value);
EXPORT _Noreturn void __longjmp_chk(struct __jmp_buf_tag to[1], int value)
{
	before_jump(to);
	real.__longjmp_chk(to, value);
	__builtin_unreachable();
}

static void *(*program_begin_catch)(void *);	/* of a program that started with a C++ library; set before any thread */

void jumps_init(void)
{
	program_begin_catch = real.__cxa_begin_catch;
}

/* Our frame lies where the catching function's hooks have theirs: what is open below it was thrown through. */
EXPORT void *__cxa_begin_catch(void *exception);
EXPORT void *__cxa_begin_catch(void *exception)
{
	uintptr_t caller = (uintptr_t)__builtin_return_address(0);
	void *(*begin_catch)(void *) = program_begin_catch;

	close_calls_below((uintptr_t)__builtin_frame_address(0));
	if (unlikely(!begin_catch))
		begin_catch = (void *(*)(void *))real_for_caller("__cxa_begin_catch", caller);
	return begin_catch ? begin_catch(exception) : exception;
}
