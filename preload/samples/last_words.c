/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "preload/samples/last_words.h"

#include <sys/prctl.h>
#include <sys/uio.h>

#include "preload/common/base/syscalls.h"
#include "preload/state/live.h"
#include "preload/state/log_space.h"
#include "preload/state/modules.h"

#define RED_ZONE_BYTES	128u	/* below the stack pointer, where functions keep variables */
#define GUARD_PAGES	256u	/* a function that finds no room may have taken its frame from these */
#define OTHERS_NS	200000000u

/* The kernel reads, and stops at what is missing. Return: bytes, or -errno */
static long read_own(uintptr_t addr, void *to, size_t bytes)
{
	struct iovec here = { to, bytes }, there = { (void *)addr, bytes };

	return raw_syscall(SYS_process_vm_readv, sys_getpid(), (long)&here, 1, (long)&there, 1, 0);
}

/* If a stack has overflowed, its pointer is in the guard pages below it, or farther. */
static long copy_stack(struct log_stack_copy *copy, uintptr_t sp)
{
	const uintptr_t page = live.log->page_bytes;
	uintptr_t addr = sp - RED_ZONE_BYTES;
	long nr = read_own(addr, copy + 1, LOG_STACK_BYTES);

	for (unsigned i = 0; nr == -EFAULT && i <= GUARD_PAGES; i++) {
		addr = i ? (addr / page + 1) * page : sp;
		nr = read_own(addr, copy + 1, LOG_STACK_BYTES);
	}
	copy->begin_addr = addr;
	return nr;
}

static void copy(const struct log_stack_copy *head)
{
	struct log_header *log = live.log;
	struct log_stack_copy *copy;
	long nr;

	copy = (struct log_stack_copy *)log_space_new_area(LOG_AREA_STACK_COPY, self ? self->head.self : 0,
							   sizeof(*copy) + LOG_STACK_BYTES, sizeof(*copy), 0);
	if (!copy) {
		log_lose(log, LOG_LOST_STACK_COPIES);
		return;
	}
	copy->reason = head->reason;
	copy->known = head->known;
	__builtin_memcpy(copy->registers, head->registers, sizeof(copy->registers));
	copy->ticks = now_ticks();
	copy->tid = (uint32_t)sys_gettid();
	raw_syscall(SYS_prctl, PR_GET_NAME, (long)copy->name, 0, 0, 0, 0);
	nr = copy_stack(copy, copy->registers[STACK_POINTER_NUMBER]);
	if (nr < 0) {
		log_lose(log, LOG_LOST_STACK_COPIES);
		nr = 0;
	}
	nr -= nr % (long)sizeof(uint64_t);
	__atomic_store_n(&copy->head.used_bytes, sizeof(*copy) + (uint64_t)nr, __ATOMIC_RELEASE);
	modules_know_all((const uint64_t *)(copy + 1), (size_t)nr / sizeof(uint64_t));
	modules_know_all(copy->registers, ARRAY_SIZE(copy->registers));
	__atomic_store_n(&copy->ticks, now_ticks(), __ATOMIC_RELEASE); /* all modules are older */
}

void last_words_of_signal(const ucontext_t *context)
{
	struct log_stack_copy head = { .reason = LOG_STACK_SIGNAL };

	head.known = interrupted_registers(context, head.registers);
	copy(&head);
}

NOINLINE void last_words_here(void)
{
	struct log_stack_copy head = { .reason = LOG_STACK_MEMORY };

	head.known = registers_here(head.registers);
	copy(&head);
}

/* If several threads come here, the first one asks. */
void last_words_of_others(bool waits)
{
	struct log_header *log = live.log;
	const uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + (waits ? OTHERS_NS : 0);
	uint32_t seen;

	if (log->sampler_kind != 2)
		return;
	log_want_stacks(log, (uint32_t)sys_gettid());
	while ((seen = __atomic_load_n(&log->stacks_wanted, __ATOMIC_ACQUIRE)) != LOG_STACKS_TAKEN) {
		const int64_t left_ns = (int64_t)(end_ns - clock_ns(CLOCK_MONOTONIC));

		if (left_ns <= 0)
			return;
		sys_futex_wait(&log->stacks_wanted, seen, left_ns);
	}
}
