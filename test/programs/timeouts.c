/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * timeouts own|signal: 20000 times a timer ends an endless loop of calls by siglongjmp, out of a handler on
 * the program's own stack or on a signal stack. It prints "handler N". The report must show work about 20000
 * times, never within work, and handler N times.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#define TIMEOUTS 20000

static sigjmp_buf start;
static volatile sig_atomic_t armed;
static volatile long sink, nr_handler;

static void handler(int signal)
{
	nr_handler++;
	if (armed) {
		armed = 0;
		siglongjmp(start, 1);
	}
}

__attribute__((noinline)) static void leaf(void)
{
	sink++;
}

__attribute__((noinline)) static void branch(void)
{
	leaf();
}

__attribute__((noinline)) static void work(void)
{
	for (;;)
		branch();
}

int main(int argc, char **argv)
{
	stack_t stack = { .ss_sp = malloc(65536), .ss_size = 65536 };
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
	struct itimerval timer = { { 0, 50 }, { 0, 50 } }, off = { { 0, 0 }, { 0, 0 } };

	if (argc > 1 && argv[1][0] == 's') {
		sigaltstack(&stack, NULL);
		action.sa_flags |= SA_ONSTACK;
	}
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (volatile int i = 0; i < TIMEOUTS; i++)
		if (!sigsetjmp(start, 1)) {
			armed = 1;
			work();
		}
	setitimer(ITIMER_REAL, &off, NULL);
	signal(SIGALRM, SIG_IGN);
	printf("handler %ld\n", nr_handler);
	return 0;
}
