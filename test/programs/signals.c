/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Signal handlers with hooks, at a high rate, over code with hooks; the second half on an alternate stack.
 * It prints how many calls it made: "work N handler N inner N". The report must show exactly these counts
 * for work, handler and in_handler, and no broken call.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

static volatile long nr_work, nr_handler, nr_inner;

__attribute__((noinline)) static void work(void)
{
	nr_work++;
}

__attribute__((noinline)) static void in_handler(void)
{
	nr_inner++;
}

static void handler(int signal)
{
	nr_handler++;
	in_handler();
	in_handler();
}

static void take_signals(int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART | flags };

	sigemptyset(&action.sa_mask);
	sigaction(SIGALRM, &action, NULL);
	for (int i = 0; i < 1000; i++)
		raise(SIGALRM);
}

int main(void)
{
	struct itimerval timer = { { 0, 50 }, { 0, 50 } }, off = { { 0, 0 }, { 0, 0 } };
	stack_t stack = { .ss_size = 65536 };

	stack.ss_sp = malloc(stack.ss_size);
	sigaltstack(&stack, NULL);
	take_signals(0);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (int i = 0; i < 1000000; i++)
		work();
	take_signals(SA_ONSTACK);
	for (int i = 0; i < 1000000; i++)
		work();
	setitimer(ITIMER_REAL, &off, NULL);
	signal(SIGALRM, SIG_IGN);
	printf("work %ld handler %ld inner %ld\n", nr_work, nr_handler, nr_inner);
	return 0;
}
