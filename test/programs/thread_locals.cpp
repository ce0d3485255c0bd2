/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * thread_locals COUNT: threads whose destructors call hooks: of a thread_local object, and of a key that is
 * set again in each of the four rounds, the last of which comes after the recorder's own. The report must
 * show COUNT calls of Held::~Held() and of released(), 4 * COUNT of on_key() and of late(), COUNT of body().
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>

static pthread_key_t key;
static volatile long sink;

__attribute__((noinline)) static void released()
{
	sink = sink + 1;
}

__attribute__((noinline)) static void late()
{
	sink = sink + 1;
}

struct Held {
	long number = 0;
	~Held() { released(); }
};
static thread_local Held held;

static void on_key(void *round)
{
	late();
	if ((intptr_t)round < 4)
		pthread_setspecific(key, (void *)((intptr_t)round + 1));
}

static void *body(void *number)
{
	held.number = (long)number;
	pthread_setspecific(key, (void *)1);
	return nullptr;
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 0;

	pthread_key_create(&key, on_key);
	for (long i = 0; i < count; i++) {
		pthread_t thread;

		if (pthread_create(&thread, nullptr, body, (void *)i) || pthread_join(thread, nullptr))
			return 1;
	}
	puts("done");
	return 0;
}
