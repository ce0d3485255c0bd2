/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stacks other than the thread's: three coroutines that switch inside of open calls. The report must show
 *   body 3 calls, step 3000, inner 3000 (each is left and resumed in its middle), main 1; no broken call;
 *   step always stands under body, inner under step.
 * coroutines often: step calls touch 200 times as well, and each 2,000th of these calls of a coroutine is left
 * and resumed in its middle.
 */
#include <stdio.h>
#include <ucontext.h>

#define NR 3

static ucontext_t scheduler, contexts[NR];
static char stacks[NR][32768];		/* next to each other in one mapping */
static volatile int current;
static volatile long sink;
static int is_often, touches[NR];

__attribute__((noinline)) static void touch(int self)
{
	if (++touches[self] % 2000 == 0)
		swapcontext(&contexts[self], &scheduler);
	sink++;
}

__attribute__((noinline)) static void inner(int self)
{
	sink++;
	swapcontext(&contexts[self], &scheduler);
	sink++;
}

__attribute__((noinline)) static void step(int self)
{
	inner(self);
	for (int i = 0; i < (is_often ? 200 : 0); i++)
		touch(self);
	sink++;
}

static void body(int self)
{
	for (int i = 0; i < 1000; i++)
		step(self);
}

int main(int argc, char **argv)
{
	is_often = argc > 1;
	for (int i = 0; i < NR; i++) {
		getcontext(&contexts[i]);
		contexts[i].uc_stack.ss_size = sizeof(stacks[i]);
		contexts[i].uc_stack.ss_sp = stacks[i];
		contexts[i].uc_link = &scheduler;
		makecontext(&contexts[i], (void (*)(void))body, 1, i);
	}
	for (int round = 0; round < (is_often ? 1101 : 1001); round++)
		for (current = 0; current < NR; current++)
			swapcontext(&scheduler, &contexts[current]);
	printf("steps %ld\n", sink);
	return 0;
}
