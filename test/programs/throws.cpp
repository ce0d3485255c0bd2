/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Exceptions of all sorts, caught; or with an argument what ends the program. The report must show
 *   token 250: std::runtime_error "bad 0" and 16 others, caught in load; 500 calls broken (token, parse)
 *   pick 5: own_error with a what() of its own; 5: of two bases "of two", by a virtual base "shared"; 5 int
 *   retry 10: std::logic_error "again" thrown, thrown again in retry, caught in attempt
 *   carry 20: std::out_of_range in 4 threads, thrown again in the first by std::rethrow_exception, 20 broken
 *   calls each
 *   in_destructor 30 beside 30 of through: one on its way while the other begins and ends
 *   jump 15: longjmp over 2 calls each, to land
 * A thread that leaves: pthread_exit in leave, 2 calls broken.
 */
#include <cassert>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <pthread.h>
#include <stdexcept>
#include <string>

#define NOINLINE __attribute__((noinline))

static volatile long sink;
static int *volatile nowhere;

struct own_error : std::exception {
	const char *what() const noexcept override
	{
		sink = sink + 1;
		return "its own";
	}
};

struct plain {
	virtual ~plain() {}
	long number = 1;
};

struct of_two : plain, std::runtime_error {
	of_two() : std::runtime_error("of two") {}
};

struct by_virtual_base : virtual std::runtime_error {
	by_virtual_base() : std::runtime_error("shared") {}
};

NOINLINE static void token(int i)
{
	throw std::runtime_error("bad " + std::to_string(i % 17));
}

NOINLINE static void parse(int i)
{
	token(i);
	sink = sink + 1;
}

NOINLINE static void load(int i)
{
	try {
		parse(i);
	} catch (const std::exception &) {
		sink = sink + 1;
	}
}

NOINLINE static void pick(int i)
{
	switch (i % 4) {
	case 0:
		throw own_error();
	case 1:
		throw of_two();
	case 2:
		throw by_virtual_base();
	default:
		throw i;
	}
}

NOINLINE static void pick_one(int i)
{
	try {
		pick(i);
	} catch (...) {
		sink = sink + 1;
	}
}

NOINLINE static void fail()
{
	throw std::logic_error("again");
}

NOINLINE static void retry()
{
	try {
		fail();
	} catch (...) {
		throw;
	}
}

NOINLINE static void attempt()
{
	try {
		retry();
	} catch (const std::logic_error &) {
		sink = sink + 1;
	}
}

NOINLINE static void *carry(void *place)
{
	try {
		throw std::out_of_range("carried");
	} catch (...) {
		*static_cast<std::exception_ptr *>(place) = std::current_exception();
	}
	return nullptr;
}

NOINLINE static void deliver(std::exception_ptr pointer)
{
	std::rethrow_exception(pointer);
}

NOINLINE static void in_threads()
{
	for (int i = 0; i < 5; i++) {
		std::exception_ptr carried[4];
		pthread_t threads[4];

		for (int k = 0; k < 4; k++)
			pthread_create(&threads[k], nullptr, carry, &carried[k]);
		for (int k = 0; k < 4; k++) {
			pthread_join(threads[k], nullptr);
			try {
				deliver(carried[k]);
			} catch (const std::out_of_range &) {
				sink = sink + 1;
			}
		}
	}
}

NOINLINE static void in_destructor()
{
	try {
		throw 1;
	} catch (int) {
		sink = sink + 1;
	}
}

struct guard {
	NOINLINE ~guard() { in_destructor(); }
};

NOINLINE static void through(int depth)
{
	guard guard;

	if (depth == 0)
		throw 2L;
	through(depth - 1);
	sink = sink + 1;
}

NOINLINE static void nested()
{
	try {
		through(2);
	} catch (long) {
		sink = sink + 1;
	}
}

static jmp_buf place;

NOINLINE static void jump()
{
	longjmp(place, 1);
}

NOINLINE static void to_jump()
{
	jump();
	sink = sink + 1;
}

NOINLINE static void land()
{
	if (setjmp(place) == 0)
		to_jump();
}

NOINLINE static void never_throws() noexcept
{
	token(3);
}

NOINLINE static void check(int number)
{
	assert(number == 7);
}

NOINLINE static void leave()
{
	pthread_exit(nullptr);
}

NOINLINE static void *leaving(void *argument)
{
	leave();
	return argument;
}

NOINLINE static void leave_thread()
{
	pthread_t thread;

	pthread_create(&thread, nullptr, leaving, nullptr);
	pthread_join(thread, nullptr);
	exit(3);
}

NOINLINE static void end(const char *how)
{
	if (strcmp(how, "uncaught") == 0)
		token(5);
	if (strcmp(how, "noexcept") == 0)
		never_throws();
	if (strcmp(how, "terminate") == 0)
		std::terminate();
	if (strcmp(how, "assert") == 0)
		check(8);
	if (strcmp(how, "abort") == 0)
		abort();
	if (strcmp(how, "exit") == 0)
		exit(9);
	if (strcmp(how, "fault") == 0)
		*nowhere = 1;
	if (strcmp(how, "kill") == 0)
		raise(SIGSEGV);
	if (strcmp(how, "thread") == 0)
		leave_thread();
}

int main(int argc, char **argv)
{
	if (argc > 1)
		end(argv[1]);
	for (int i = 0; i < 250; i++)
		load(i);
	for (int i = 0; i < 20; i++)
		pick_one(i);
	for (int i = 0; i < 10; i++)
		attempt();
	in_threads();
	for (int i = 0; i < 10; i++)
		nested();
	for (int i = 0; i < 15; i++)
		land();
	printf("sink %ld\n", sink);
	return 0;
}
