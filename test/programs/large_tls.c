/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * large_tls: a program that the tests build without hooks, with 200 KB of thread-local memory, which lie
 * between the thread pointer and what libraries have there. Computes for 60 ms of CPU time; the report must
 * show rows of it.
 */
#include <stdint.h>
#include <time.h>

static __thread volatile char own[200000];

static uint64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

int main(void)
{
	const uint64_t end = now_us() + 60000;

	while (now_us() < end)
		own[now_us() % sizeof(own)] = 1;
	for (size_t i = 0; i < sizeof(own); i++)
		if (own[i] > 1)
			return 1;
	return 0;
}
