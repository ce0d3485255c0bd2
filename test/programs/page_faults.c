/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One line touches 32 MiB first, another has memset() touch 32 MiB, both slowly; a third touches them again, which
 * is no page fault. In main() and in a thread, each half of it. All begins 0.3 s after the start.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MIB (1ul << 20)
#define CHUNK (256ul << 10)

__attribute__((noinline)) static void touch(volatile char *from)
{
	for (volatile char *at = from; at < from + CHUNK; at += 4096) {
		*at = 1; /* loop */
	}
	usleep(1000);
}

__attribute__((noinline)) static void *work(void *unused)
{
	char *memory = mmap(NULL, 32 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	volatile size_t bytes = CHUNK;

	usleep(300000);
	for (size_t at = 0; at < 16 * MIB; at += CHUNK)
		touch(memory + at);
	for (size_t at = 16 * MIB; at < 32 * MIB; at += CHUNK) {
		memset(memory + at, 1, bytes); /* memset */
		usleep(1000);
	}
	for (size_t at = 0; at < 32 * MIB; at += 4096) {
		((volatile char *)memory)[at] = 2; /* again */
	}
	return unused;
}

int main(void)
{
	pthread_t other;

	pthread_create(&other, NULL, work, NULL);
	work(NULL);
	pthread_join(other, NULL);
	return 0;
}
