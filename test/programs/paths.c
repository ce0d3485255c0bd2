/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Many call paths: paths [interrupted|flat]. 300 functions that main calls, and each of them all 300, all of
 * it twice: each must show 602 calls, and the tree 90301 paths. interrupted: the same under signals whose
 * handler makes such calls too, but none of the last one; how many is printed. flat: the hooks of 60,000
 * functions that there are not, called by main twice.
 */
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

#define NOT_TIMED __attribute__((no_instrument_function))
#define NR_STEPS 300
#define NR_PLACES 60000

#define DEFINE(n) static void step_##n(int depth) { descend(depth); }
#define NAME(n) step_##n,
#define TEN(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9)
#define HUNDRED(X, n) TEN(X, n##0) TEN(X, n##1) TEN(X, n##2) TEN(X, n##3) TEN(X, n##4) \
	TEN(X, n##5) TEN(X, n##6) TEN(X, n##7) TEN(X, n##8) TEN(X, n##9)
#define ALL(X) HUNDRED(X, 0) HUNDRED(X, 1) HUNDRED(X, 2)

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

static void (*const steps[NR_STEPS])(int depth);
static char places[NR_PLACES][16];
static volatile unsigned long handled;

NOT_TIMED static void descend(int depth)
{
	for (int i = 0; depth && i < NR_STEPS; i++)
		steps[i](depth - 1);
}

ALL(DEFINE)
static void (*const steps[NR_STEPS])(int depth) = { ALL(NAME) };

NOT_TIMED static void handler(int signal)
{
	for (int i = 0; i < 10; i++)
		steps[handled++ % (NR_STEPS - 1)](0);
}

NOT_TIMED static void call_places(void)
{
	for (int i = 0; i < NR_PLACES; i++) {
		__cyg_profile_func_enter(places[i], NULL);
		__cyg_profile_func_exit(places[i], NULL);
	}
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
	struct itimerval timer = { { 0, 50 }, { 0, 50 } }, off = { { 0, 0 }, { 0, 0 } };
	int is_flat = argc > 1 && strcmp(argv[1], "flat") == 0;

	sigaction(SIGALRM, &action, NULL);
	if (argc > 1 && !is_flat)
		setitimer(ITIMER_REAL, &timer, NULL);
	for (int i = 0; i < 2; i++) {
		if (is_flat)
			call_places();
		else
			descend(2);
	}
	setitimer(ITIMER_REAL, &off, NULL);
	signal(SIGALRM, SIG_IGN);
	printf("handled %lu\n", handled);
	return 0;
}
