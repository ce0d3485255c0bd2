/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stepped_hooks own|signal: a handler's calls between any two instructions of the hooks. The processor stops
 * after each instruction of a call of work (the trap flag). The handler calls handled at two of these stops,
 * up to 3 apart. It runs on the program's stack or on a signal stack.
 * Prints how many calls the report must show: "work N handled N in_handler N". Status 1: the library is not
 * there.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#include "single_step.h"

enum { SPAN = 3, NEVER = 1 << 30 };

static volatile long steps, first, last;
static volatile long nr_work, nr_handled, nr_in_handler;

__attribute__((noinline)) static void in_handler(void)
{
	nr_in_handler++;
}

__attribute__((noinline)) static void handled(void)
{
	nr_handled++;
	in_handler();
	in_handler();
}

NOT_RECORDED static void on_step(int signal, siginfo_t *info, void *context)
{
#ifdef __x86_64__
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

	if ((uintptr_t)registers[REG_RIP] - begin >= end - begin)
		return;
	steps++;
	if (steps == first || steps == last)
		handled();
	if (steps >= last)
		registers[REG_EFL] &= ~TRAP_FLAG;
#endif
}

__attribute__((noinline)) static void work(void)
{
	nr_work++;
}

NOT_RECORDED static void step_through_work(long from, long to)
{
	first = from;
	last = to;
	steps = 0;
	step(1);
	work();
	step(0);
}

int main(int argc, char **argv)
{
	stack_t stack = { .ss_sp = malloc(65536), .ss_size = 65536 };
	struct sigaction action = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO };
	long most;

	if (argc > 1 && argv[1][0] == 's') {
		sigaltstack(&stack, NULL);
		action.sa_flags |= SA_ONSTACK;
	}
	dl_iterate_phdr(find_library, NULL);
	if (!end)
		return 1;
	sigaction(SIGTRAP, &action, NULL);
	handled();
	for (int i = 0; i < 3; i++)	/* until its path is known */
		step_through_work(NEVER, NEVER);
	most = steps;
	for (long from = 1; from < most; from++)
		for (long to = from + 1; to <= from + SPAN && to <= most; to++)
			step_through_work(from, to);
	printf("work %ld handled %ld in_handler %ld\n", nr_work, nr_handled, nr_in_handler);
	return 0;
}
