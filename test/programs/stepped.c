/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A handler that allocates between any two instructions of the library's malloc, calloc, realloc and free: the
 * processor stops after each instruction (the trap flag), and the handler makes a pair of malloc and free
 * where that is in the library. Each 100th block stays. Prints how many allocations the report must show for
 * pairs(), and how many blocks and bytes of it as not freed. Status 1: the library is not there.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#include "single_step.h"

enum { ROUNDS = 20, KEEP = 100, BYTES = 24 };

static volatile long allocations, kept;

NOT_RECORDED static void on_step(int signal, siginfo_t *info, void *context)
{
#ifdef __x86_64__
	const uintptr_t at = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
	void *volatile block;

	if (at - begin >= end - begin)
		return;
	block = malloc(BYTES);
	if (++allocations % KEEP == 0)
		kept++;
	else
		free(block);
#endif
}

__attribute__((noinline)) static void pairs(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		void *volatile block, *volatile other;

		step(1);
		block = malloc(100);
		other = calloc(3, 30);
		block = realloc(block, 1000);
		free(other);
		free(block);
		step(0);
		allocations += 3;
	}
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO };

	dl_iterate_phdr(find_library, NULL);
	if (!end)
		return 1;
	sigaction(SIGTRAP, &action, NULL);
	pairs();
	printf("%ld %ld %ld\n", allocations, kept, kept * BYTES);
	return 0;
}
