/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Signals at a high rate whose handler makes two calls, into recursion that goes deeper than any before. The
 * report must show down 20001 times for each of 20 descents, and neither first nor second as the caller of
 * anything.
 */
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

#define DEPTH 20000
#define DESCENTS 20

static volatile long sink;

__attribute__((noinline)) static void first(void)
{
	sink++;
}

__attribute__((noinline)) static void second(void)
{
	sink++;
}

static void handler(int signal)
{
	first();
	second();
}

__attribute__((noinline)) static void down(int depth)
{
	if (depth)
		down(depth - 1);
	sink++;
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
	struct itimerval timer = { { 0, 50 }, { 0, 50 } }, off = { { 0, 0 }, { 0, 0 } };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (int i = 0; i < DESCENTS; i++)
		down(DEPTH);
	setitimer(ITIMER_REAL, &off, NULL);
	signal(SIGALRM, SIG_IGN);
	return 0;
}
