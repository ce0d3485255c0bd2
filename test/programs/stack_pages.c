/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two threads with 3 MiB each of their stacks in use for 2.5 s, after two that had as much and have ended;
 * meanwhile 8 MiB of the heap are written to, and 4 MiB of a mapping. The report must show 6 MiB of stacks.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MIB (1 << 20)

static void *volatile place;
static volatile char sink;

__attribute__((noinline)) static void use_stack(useconds_t us)
{
	volatile char local[3 * MIB];

	for (int i = 0; i < 3 * MIB; i += 4096)
		local[i] = 1;
	usleep(us);
	sink = local[0];
}

static void *work(void *us)
{
	use_stack(*(useconds_t *)us);
	return NULL;
}

static void two_threads(useconds_t us, int holds)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, &us);
	usleep(us * 2 / 3);
	if (holds) {
		place = malloc(8 * MIB);
		memset(place, 1, 8 * MIB);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

int main(void)
{
	void *mapping = mmap(NULL, 4 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mapping == MAP_FAILED)
		return 1;
	memset(mapping, 1, 4 * MIB);
	two_threads(1000, 0);
	two_threads(2500000, 1);
	free(place);
	return 0;
}
