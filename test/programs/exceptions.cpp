/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Exceptions that are caught and thrown again, in destructors, and out of a thread that is cancelled; 100
 * times. The report must show
 *   deep 100 x 5, passing 100, mend 100, again 100, attempt 100, after 200: under attempt or main, never
 *   under what was
 *   thrown through; guard's destructor 220, in_guard 220, within 220, cancelled 20, victim 20, main 1;
 * of gcc nothing broken, of clang deep, passing, again, cancelled and victim: 740.
 */
#include <cstdio>
#include <exception>
#include <pthread.h>
#include <stdexcept>
#include <unistd.h>

static volatile long sink;

__attribute__((noinline)) static void after()
{
	volatile char room[1024];	/* reaches further down than what was thrown through */

	room[0] = 1;
	sink = sink + room[0];
}

__attribute__((noinline)) static void deep(int depth)
{
	if (depth == 1)
		throw std::runtime_error("thrown");
	deep(depth - 1);
	sink = sink + 1;
}

__attribute__((noinline)) static void within()
{
	try {
		throw 1;
	} catch (int number) {
		sink = sink + number;
	}
}

/* An exception of its own, begun and ended while another one is on its way. */
__attribute__((noinline)) static void in_guard()
{
	within();
}

struct guard {
	__attribute__((noinline)) ~guard() { in_guard(); }
};

__attribute__((noinline)) static void passing()
{
	guard guard;

	deep(5);
}

__attribute__((noinline)) static void mend()
{
	sink = sink + 1;
}

__attribute__((noinline)) static void again()
{
	guard guard;

	try {
		passing();
	} catch (const std::runtime_error &) {
		mend();
		throw;
	}
}

__attribute__((noinline)) static void attempt()
{
	try {
		again();
	} catch (const std::exception &) {
		after();
	}
}

__attribute__((noinline)) static void cancelled()
{
	guard guard;

	for (;;)
		pause();
}

static void *victim(void *argument)
{
	cancelled();
	return argument;
}

int main()
{
	for (int i = 0; i < 100; i++) {
		attempt();
		after();
	}
	for (int i = 0; i < 20; i++) {
		pthread_t thread;

		pthread_create(&thread, nullptr, victim, nullptr);
		pthread_cancel(thread);
		pthread_join(thread, nullptr);
	}
	printf("sink %ld\n", sink);
	return 0;
}
