/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Recursion of any depth: bottomless DEPTH, on a thread whose stack is big enough; the report must show down
 * DEPTH times and bottom once. bottomless over: without end, on main's stack: a handler on a signal stack
 * jumps out of the overflow, 5 times; prints how deep it was in all as "down N". Without a handler:
 * bottomless end.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile long sink, nr_down;
static sigjmp_buf back;

__attribute__((noinline)) static void bottom(void)
{
	sink++;
}

__attribute__((noinline)) static void down(long depth)
{
	nr_down++;
	if (depth > 1)
		down(depth - 1);
	else
		bottom();
	sink++;
}

__attribute__((noinline)) static void saved(void)
{
	sink++;
}

static void on_overflow(int signal)
{
	saved();
	siglongjmp(back, 1);
}

static void *descend(void *depth)
{
	down((long)depth);
	return NULL;
}

static int overflow(void)
{
	struct sigaction action = { .sa_handler = on_overflow, .sa_flags = SA_ONSTACK };
	stack_t stack = { .ss_size = 65536, .ss_sp = malloc(65536) };

	sigaltstack(&stack, NULL);
	sigaction(SIGSEGV, &action, NULL);
	for (volatile int i = 0; i < 5; i++)
		if (!sigsetjmp(back, 1))
			down(1L << 60);
	printf("down %ld\n", nr_down);
	return 0;
}

int main(int argc, char **argv)
{
	long depth = argc > 1 ? atol(argv[1]) : 0;
	pthread_attr_t attributes;
	pthread_t thread;

	if (argc > 1 && !strcmp(argv[1], "over"))
		return overflow();
	if (argc > 1 && !strcmp(argv[1], "end"))
		down(1L << 60);
	pthread_attr_init(&attributes);
	if (depth <= 0 || pthread_attr_setstacksize(&attributes, (size_t)depth * 256 + 65536) ||
	    pthread_create(&thread, &attributes, descend, (void *)depth))
		return 1;
	return pthread_join(thread, NULL);
}
