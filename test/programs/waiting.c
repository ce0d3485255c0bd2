/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * waiting [resume]: a thread starts a coroutine, which yields within half(), and ends. With "resume" main
 * goes on with it. The report must show body() and half() once, open at the end without "resume"; whole()
 * once, with it twice.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

static ucontext_t coroutine, back;
static volatile long sink;

__attribute__((noinline)) static void whole(void)
{
	sink++;
}

__attribute__((noinline)) static void half(void)
{
	swapcontext(&coroutine, &back);
	whole();
}

static void body(void)
{
	half();
}

static void *starter(void *stack)
{
	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = stack;
	coroutine.uc_stack.ss_size = 65536;
	coroutine.uc_link = &back;
	makecontext(&coroutine, body, 0);
	swapcontext(&back, &coroutine);
	whole();
	return NULL;
}

int main(int argc, char **argv)
{
	void *stack = malloc(65536);
	pthread_t thread;

	if (pthread_create(&thread, NULL, starter, stack) || pthread_join(thread, NULL))
		return 1;
	if (argc > 1)
		swapcontext(&back, &coroutine);
	puts("done");
	return 0;
}
