/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * unwind PID TID: the time to find one function in a copied stack. Stops the thread once, copies its stack
 * and walks through the copy again and again. Print ns per function with warm rows, the functions of a
 * walk, and us of the first walk.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#include "preload/monitor/stacks/unwinder.h"

#define WALKS 20000

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void nothing(struct target_object *object, bool is_gone, void *context)
{
	(void)object;
	(void)is_gone;
	(void)context;
}

static int stop(pid_t pid, struct registers *registers)
{
	struct user_regs_struct user;

	if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) < 0 || ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) < 0 ||
	    waitpid(pid, NULL, __WALL) < 0 || ptrace(PTRACE_GETREGS, pid, NULL, &user) < 0)
		return -1;
	registers_take(registers, &user);
	return 0;
}

int main(int argc, char **argv)
{
	static struct stack stack;
	struct target target = { .pid = argc > 2 ? atoi(argv[1]) : 0 };
	struct registers registers;
	struct unwinder *unwinder;
	const char *why = "cannot stop it";
	double begin, first;

	if (stop(argc > 2 ? atoi(argv[2]) : 0, &registers) < 0 || target_look(&target, nothing, NULL) < 0 ||
	    !(unwinder = unwinder_new(&target, &why)) ||
	    unwinder_copy(unwinder, registers.at[REGISTER_SP], STACK_BYTES_MOST) < 0) {
		fprintf(stderr, "unwind: %s\n", why);
		return 1;
	}
	begin = now_ns();
	unwinder_walk(unwinder, &registers, false, &stack);
	first = now_ns() - begin;
	begin = now_ns();
	for (long i = 0; i < WALKS; i++)
		unwinder_walk(unwinder, &registers, false, &stack);
	printf("%.1f %u %.1f%s\n", (now_ns() - begin) / WALKS / stack.nr, stack.nr, first / 1e3,
	       stack.is_cut ? " cut" : "");
	return 0;
}
