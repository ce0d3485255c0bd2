/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Forks in a signal handler, which mostly interrupts a hook: handlers [own]: own: on a stack of its own. Each
 * of 60 children goes back into what was interrupted, calls work 10 times, once before that in the handler,
 * and exits. Prints how many calls of tiny the parent made, and its pid: the parent's own log must have just
 * as many. A child whose handler interrupted a hook has only an entry. The report of all must show main 61,
 * call_all 61, and 11 calls of work for each other child.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define FORKS 60

static volatile sig_atomic_t is_child, forks, failed;
static volatile long sink;

__attribute__((noinline)) static void tiny(void)
{
	sink++;
}

__attribute__((noinline)) static void work(void)
{
	sink++;
}

/* Not a call itself: one that ends within the end of another may take its place in a histogram. */
__attribute__((no_instrument_function)) static void on_alarm(int number)
{
	int status = -1;
	pid_t child;

	if (is_child || forks == FORKS)
		return;
	child = fork();
	if (child == 0) {
		is_child = 1;
		work();
		return;
	}
	waitpid(child, &status, 0);
	failed |= !WIFEXITED(status) || WEXITSTATUS(status) != 5;
	forks++;
}

static inline __attribute__((always_inline, no_instrument_function)) void arm(int us)
{
	struct itimerval timer = { { 0, 0 }, { 0, us } };

	setitimer(ITIMER_REAL, &timer, NULL);
}

__attribute__((noinline)) static long call_all(void)
{
	long calls = 300000;	/* by timing auto tiny() is counted then, if it is */
	int armed = -1;

	for (long i = 0; i < calls; i++)
		tiny();
	while (forks < FORKS) {
		if (armed != forks && !is_child) {	/* in the child it has stopped */
			armed = forks;
			arm(50 + armed * 7 % 100);	/* another place each time */
		}
		tiny();
		calls++;
		if (!is_child)
			continue;
		for (int i = 0; i < 10; i++)
			work();
		_exit(5);
	}
	return calls;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_alarm };
	static char memory[65536];
	stack_t stack = { .ss_sp = memory, .ss_size = sizeof(memory) };

	if (argc > 1 && !strcmp(argv[1], "own")) {
		sigaltstack(&stack, NULL);
		action.sa_flags = SA_ONSTACK;
	}
	sigaction(SIGALRM, &action, NULL);
	printf("%ld %d\n", call_all(), (int)getpid());
	return failed;
}
