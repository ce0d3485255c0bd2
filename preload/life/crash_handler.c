/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The handler of fatal signals writes an event and a copy of the stack, and sends the same signal again for
 * the default action. The signal is pending when the handler returns, so the process ends with the registers
 * of the first time.
 */
#include "preload/life/crash_handler.h"

#include <sys/mman.h>

#include "preload/common/base/syscalls.h"
#include "preload/samples/cpu_samples.h"
#include "preload/samples/last_words.h"
#include "preload/stacks/thread.h"

#define STACK_BYTES	(64u << 10)
#define STACK_MARK	0x6b636174735f6d69u	/* at the low end of one of our stacks */

static const int fatal_signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS };

/* A forked child may have no log yet, and a vfork child runs in its parent's memory. */
static bool has_own_log(void)
{
	return !live_is_private &&
	       (live.log ? live_is_sealed() || live.log->pid == (uint32_t)sys_getpid() :
			   !live_is_sealed() && live_open_child());
}

/* Steps that may fail in a broken process come last. */
static void on_crash(int number, siginfo_t *info, void *context)
{
	uint64_t values[] = { (uint64_t)number, (uint64_t)(int64_t)info->si_code, (uint64_t)info->si_addr,
			      interrupted_code(context) };

	if (has_own_log()) {
		log_write_event(live.log, LOG_EVENT_CRASH, self ? self->head.self : 0, values, 4, NULL,
				now_ticks());
		if (!live_is_sealed()) {
			last_words_of_signal(context);
			last_words_of_others(true);
		}
	}
	/* Under a filter the instruction fails again; abort() raises its signal twice anyway. */
	if (!live_is_sealed())
		raw_syscall(SYS_rt_tgsigqueueinfo, sys_getpid(), sys_gettid(), number, (long)info, 0, 0);
}

void crash_begin_thread(void)
{
	stack_t stack;

	if (!settings.value[SETTING_CRASH] || live_is_sealed() ||
	    raw_syscall(SYS_sigaltstack, 0, (long)&stack, 0, 0, 0, 0) < 0 || !(stack.ss_flags & SS_DISABLE))
		return;
	stack = (stack_t){ .ss_size = STACK_BYTES };
	stack.ss_sp = (void *)sys_mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				       -1, 0);
	if (sys_failed((long)stack.ss_sp))
		return;
	*(uint64_t *)stack.ss_sp = STACK_MARK;
	raw_syscall(SYS_sigaltstack, (long)&stack, 0, 0, 0, 0, 0);
}

void crash_end_thread(void)
{
	const stack_t none = { .ss_flags = SS_DISABLE };
	stack_t stack;

	if (!settings.value[SETTING_CRASH] || live_is_sealed() ||
	    raw_syscall(SYS_sigaltstack, 0, (long)&stack, 0, 0, 0, 0) < 0 ||
	    stack.ss_flags & (SS_DISABLE | SS_ONSTACK) || stack.ss_size != STACK_BYTES ||
	    *(uint64_t *)stack.ss_sp != STACK_MARK)
		return;
	raw_syscall(SYS_sigaltstack, (long)&none, 0, 0, 0, 0, 0);
	sys_munmap(stack.ss_sp, STACK_BYTES);
}

void crash_init(void)
{
	const struct kernel_action action = { .handler = on_crash, .restorer = insideme_signal_return,
		.flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND | SA_RESTORER_FLAG };

	if (!settings.value[SETTING_CRASH])
		return;
	crash_begin_thread();
	for (size_t i = 0; i < ARRAY_SIZE(fatal_signals); i++) {
		struct kernel_action old;

		if (raw_syscall(SYS_rt_sigaction, fatal_signals[i], 0, (long)&old, 8, 0, 0) == 0 &&
		    !old.handler)
			raw_syscall(SYS_rt_sigaction, fatal_signals[i], (long)&action, 0, 8, 0, 0);
	}
}
