/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * passed_on THREADS: each thread allocates in all ways, moves, frees, and passes blocks on to any other
 * thread, at random, while the process forks. Prints how many bytes in how many blocks are not freed. The
 * report must show the same, to the byte.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define NR_MINE 64
#define NR_PASSED 256
#define NR_STEPS 20000
#define THREADS_MAX 16

struct block {
	void *place;
	size_t bytes;
};

struct owner {
	pthread_t thread;
	uint64_t random;
	struct block blocks[NR_MINE];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block passed[NR_PASSED];		/* under lock */
static struct owner owners[THREADS_MAX];

static size_t draw(struct owner *owner, size_t limit)
{
	owner->random = owner->random * 6364136223846793005u + 1442695040888963407u;
	return (size_t)(owner->random >> 33) % limit;
}

static void allocate(struct owner *owner, struct block *block)
{
	size_t bytes = draw(owner, draw(owner, 50) ? 700 : 300000);

	switch (draw(owner, 5)) {
	case 0:
		block->place = malloc(bytes);
		break;
	case 1:
		block->place = calloc(1, bytes);
		break;
	case 2:
		bytes = (bytes + 63) / 64 * 64;
		block->place = aligned_alloc(64, bytes);
		break;
	case 3:
		block->place = memalign(256, bytes);
		break;
	default:
		bytes++;
		block->place = realloc(realloc(NULL, bytes / 2), bytes);
	}
	block->bytes = bytes;
}

static void move(struct owner *owner, struct block *block)
{
	block->bytes = draw(owner, 3000) + 1;
	block->place = realloc(block->place, block->bytes);
}

static void drop(struct block *block)
{
	free(block->place);
	block->place = NULL;
}

static void pass_on(struct owner *owner, struct block *block)
{
	struct block *other = &passed[draw(owner, NR_PASSED)], mine = *block;

	pthread_mutex_lock(&lock);
	*block = *other;
	*other = mine;
	pthread_mutex_unlock(&lock);
}

static void *work(void *argument)
{
	struct owner *owner = argument;

	for (int i = 0; i < NR_STEPS; i++) {
		struct block *block = &owner->blocks[draw(owner, NR_MINE)];

		if (!block->place)
			allocate(owner, block);
		else if (draw(owner, 3) == 0)
			move(owner, block);
		else if (draw(owner, 2))
			pass_on(owner, block);
		else
			drop(block);
	}
	return NULL;
}

static void count(const struct block *blocks, int nr, size_t *bytes, int *nr_live)
{
	for (int i = 0; i < nr; i++) {
		*bytes += blocks[i].place ? blocks[i].bytes : 0;
		*nr_live += blocks[i].place != NULL;
	}
}

int main(int argc, char **argv)
{
	int nr = argc > 1 ? atoi(argv[1]) : 1, nr_live = 0, length;
	char line[64];
	size_t bytes = 0;

	for (int i = 0; i < nr && i < THREADS_MAX; i++) {
		owners[i].random = (uint64_t)i + 1;
		pthread_create(&owners[i].thread, NULL, work, &owners[i]);
	}
	for (int i = 0; i < 10; i++) {
		if (fork() == 0) {
			for (size_t k = 0; k < 100; k++)
				free(malloc(k));
			_exit(0);
		}
		wait(NULL);
	}
	for (int i = 0; i < nr && i < THREADS_MAX; i++) {
		pthread_join(owners[i].thread, NULL);
		count(owners[i].blocks, NR_MINE, &bytes, &nr_live);
	}
	count(passed, NR_PASSED, &bytes, &nr_live);
	length = snprintf(line, sizeof(line), "%zu %d\n", bytes, nr_live);
	return write(1, line, (size_t)length) != length;	/* not by stdio, which allocates */
}
