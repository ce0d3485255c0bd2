/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The peak of several threads that all hold back what they allocate.
 *
 * peak_of_threads eight HOW: main allocates a block of 180000 bytes in big(). Then 8 threads have one of
 * 16384 bytes each at once, in small(). The peak is these 9 blocks. HOW says who frees. threads: each thread
 * its own. main: main those of the threads, then its own. big: main its own first.
 *
 * peak_of_threads random SEED THREADS MOST SLOTS OPERATIONS: threads allocate blocks of up to MOST bytes at
 * random in one of six places; in the first half of its OPERATIONS each allocates more, then it frees more. A
 * book is kept under a lock. It prints the bytes that lived at the peak of what place_0() ... place_5()
 * allocated.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 6, MOST_THREADS = 64, MOST_SLOTS = 1024 };

#define SITE(name) \
	__attribute__((noinline)) static void *name(size_t bytes) \
	{ \
		void *volatile block = malloc(bytes); \
		return block; \
	}

SITE(big)
SITE(small)
SITE(place_0)
SITE(place_1)
SITE(place_2)
SITE(place_3)
SITE(place_4)
SITE(place_5)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t threads[MOST_THREADS];
static pthread_barrier_t barrier;

static void run(long nr, void *(*work)(void *))
{
	pthread_barrier_init(&barrier, NULL, (unsigned)nr);
	for (long i = 0; i < nr; i++)
		if (pthread_create(&threads[i], NULL, work, (void *)i))
			abort();
	for (long i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
}

/* ---- eight ---- */

static void *blocks[8];
static const char *who;

static void *hold(void *index)
{
	blocks[(long)index] = small(16384);
	pthread_barrier_wait(&barrier);
	pthread_mutex_lock(&lock);
	if (strcmp(who, "threads") == 0)
		free(blocks[(long)index]);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void eight(void)
{
	void *own = big(180000);

	run(8, hold);
	if (strcmp(who, "big") == 0)
		free(own);
	for (int i = 0; i < 8 && strcmp(who, "threads") != 0; i++)
		free(blocks[i]);
	if (strcmp(who, "big") != 0)
		free(own);
}

/* ---- random ---- */

static struct slot {
	void *block;
	long bytes;
	int place;
} slots[MOST_THREADS][MOST_SLOTS];

/* Under the lock; by place, [PLACES]: all */
static long live[PLACES + 1], at_peak[PLACES + 1];
static unsigned seed;
static long nr_slots, nr_operations, most_bytes;

static void book(int place, long bytes)
{
	live[place] += bytes;
	live[PLACES] += bytes;
	if (live[PLACES] > at_peak[PLACES])
		memcpy(at_peak, live, sizeof(live));
}

static void get(struct slot *slot, int place, long bytes)
{
	static void *(*const places[PLACES])(size_t) = { place_0, place_1, place_2,
							 place_3, place_4, place_5 };

	pthread_mutex_lock(&lock);
	*slot = (struct slot){ places[place]((size_t)bytes), bytes, place };
	book(place, bytes);
	pthread_mutex_unlock(&lock);
}

static void drop(struct slot *slot)
{
	pthread_mutex_lock(&lock);
	book(slot->place, -slot->bytes);
	free(slot->block);
	slot->block = NULL;
	pthread_mutex_unlock(&lock);
}

static void step(struct slot *slot, unsigned *random, int rise_percent)
{
	const int place = rand_r(random) % PLACES, shift = rand_r(random) % 16;
	const int goes_up = rand_r(random) % 100 < rise_percent;

	if (slot->block && !goes_up)
		drop(slot);
	else if (!slot->block && goes_up)
		get(slot, place, (most_bytes >> shift) + 1);
}

static void *work(void *index)
{
	struct slot *own = slots[(long)index];
	unsigned random = seed * MOST_THREADS + (unsigned)(long)index;

	pthread_barrier_wait(&barrier);
	for (long i = 0; i < nr_operations; i++)
		step(&own[rand_r(&random) % nr_slots], &random, i < nr_operations / 2 ? 65 : 35);
	for (long i = 0; i < nr_slots; i++)
		if (own[i].block)
			drop(&own[i]);
	return NULL;
}

int main(int argc, char **argv)
{
	static char buffer[4096];

	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	if (argc == 3) {
		who = argv[2];
		eight();
		return 0;
	}
	if (argc != 7)
		return 2;
	seed = (unsigned)atoi(argv[2]);
	most_bytes = atol(argv[4]);
	nr_slots = atol(argv[5]);
	nr_operations = atol(argv[6]);
	run(atol(argv[3]), work);
	for (int i = 0; i < PLACES; i++)
		printf("%ld\n", at_peak[i]);
	return 0;
}
