/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The child of a fork in a signal handler that interrupted a hook. */
#include "preload/stacks/fork_in_hook.h"

#include <signal.h>
#include <sys/mman.h>

#define PAGE LOG_AREA_ALIGN

/* By the linker: our own code. */
extern HIDDEN const char __ehdr_start[], etext[];

/* Written by whoever forks in such a handler, and by the child, which has one thread. */
static struct live parents;
static struct live own;
static struct log_thread *own_self;
LARGE static char page[PAGE];

static bool is_ours(uint64_t code_addr)
{
	/* A clock that is not the counter is read by code of libc. */
	return live.clock != LOG_CLOCK_TSC || code_addr - (uintptr_t)__ehdr_start < (uintptr_t)(etext - __ehdr_start);
}

uintptr_t interrupted_find(uintptr_t limit_addr)
{
	const unsigned long *word = __builtin_frame_address(0);

	for (; (uintptr_t)(word + SIGNAL_CONTEXT_WORDS) <= limit_addr; word++) {
		if (!is_signal_context(word) || !is_ours(word[1]))
			continue;
		parents = live;
		return word[0];
	}
	return 0;
}

/* Page by page, so that it needs no address space. What lies beyond what the file reached nobody touches. */
static void make_private(struct log_header *log)
{
	uint64_t bytes = __atomic_load_n(&log->file_bytes, __ATOMIC_ACQUIRE);

	for (uint64_t at = 0; at < bytes; at += PAGE) {
		char *place = (char *)log + at;

		__builtin_memcpy(page, place, PAGE);
		if (sys_failed(sys_mmap(place, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)))
			return;
		__builtin_memcpy(place, page, PAGE);
	}
}

static void use_parents(uintptr_t return_addr)
{
	own = live;
	own_self = self;
	live = parents;
	self = NULL;
	live_return_addr = return_addr;
}

static void use_own(void)
{
	live_return_addr = 0;
	live = own;
	self = own_self;
}

void interrupted_return(uintptr_t stack_addr)
{
	make_private(parents.log);
	use_parents(stack_addr);
}

void interrupted_end(void)
{
	use_own();
}

/* The hook's caller is above its stack pointer, and so is all that the program does a little after it has ended. */
uintptr_t interrupted_begin(uintptr_t stack_addr)
{
	uintptr_t return_addr = live_return_addr;
	stack_t stack;

	use_own();
	if (stack_addr + 2 * sizeof(void *) <= return_addr)	/* see own_frame_addr() */
		return return_addr;
	if (raw_syscall(SYS_sigaltstack, 0, (long)&stack, 0, 0, 0, 0) == 0 && stack.ss_flags & SS_ONSTACK)
		return return_addr;
	return 0;
}

void interrupted_go_back(uintptr_t return_addr)
{
	use_parents(return_addr);
}
