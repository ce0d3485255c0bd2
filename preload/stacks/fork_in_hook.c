/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The child of a fork in a signal handler that interrupted a hook is not recorded. */
#include "preload/stacks/fork_in_hook.h"

#include <signal.h>
#include <sys/mman.h>

#include "preload/calls/stubs.h"

#define PAGE LOG_AREA_ALIGN
#define RED_ZONE_WORDS 16u /* words below a stack pointer that code may use */

/* By the linker: our own code. */
extern HIDDEN const char __ehdr_start[], etext[];

/* Set by the thread that forks in such a handler. The child, which has one thread, keeps it. */
static struct live parents;
LARGE static char page[PAGE];

static bool is_ours(uint64_t code_addr)
{
	/* If the clock is not the time-stamp counter, code of libc reads it. */
	return live.clock != LOG_CLOCK_TSC ||
	       code_addr - (uintptr_t)__ehdr_start < (uintptr_t)(etext - __ehdr_start);
}

/*
 * Memory between a signal's context and the stack pointer that it saved is skipped: the kernel leaves parts
 * of the processor's state unwritten there, and these may hold an older context.
 */
bool fork_in_hook_find(uintptr_t limit_addr)
{
	unsigned long *word = (unsigned long *)__builtin_frame_address(0) + SIGNAL_CONTEXT_BEFORE;

	while ((uintptr_t)(word + SIGNAL_CONTEXT_WORDS) <= limit_addr) {
		if (!is_signal_context(word)) {
			word++;
			continue;
		}
		word[1] = stub_restart(word[1]);
		if (is_ours(word[1])) {
			parents = live;
			return true;
		}
		if (word[0] <= (uintptr_t)(word + RED_ZONE_WORDS))
			return false; /* the handler has a stack of its own */
		word = (unsigned long *)word[0] - RED_ZONE_WORDS;
	}
	return false;
}

/* Page by page, so that it needs no address space. No task touches memory beyond the end of the file. */
static void make_private(struct log_header *log)
{
	uint64_t bytes = __atomic_load_n(&log->file_bytes, __ATOMIC_ACQUIRE);

	for (uint64_t at = 0; at < bytes; at += PAGE) {
		char *place = (char *)log + at;

		__builtin_memcpy(page, place, PAGE);
		if (sys_failed(sys_mmap(place, PAGE, PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)))
			return;
		__builtin_memcpy(place, page, PAGE);
	}
}

/* The hook continues with the parent's state. Without a record of the thread nothing else is written. */
void fork_in_hook_stay_off(void)
{
	live = parents;
	self = NULL;
}

void fork_in_hook_turn_off(void)
{
	log_lose(parents.log, LOG_LOST_FORKS_IN_HOOKS);
	make_private(parents.log);
	live_is_private = true;
	fork_in_hook_stay_off();
}
