/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random calls of malloc, calloc, realloc, memalign and free, and its own book of them: random_heap
 * OPERATIONS. First the program's peak, by one thread. Then 4 threads share slots for blocks, each fourth of
 * OPERATIONS; the first one forks 8 children meanwhile, which go on with all that they inherited, and some of
 * these fork again.
 *
 * It prints the blocks and bytes that the report must show: as not freed by in_parent, as not freed by
 * in_child, which are of all children, and at the peak of rise. Nothing may be lost, and no free unknown.
 */
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_TIMED	__attribute__((no_instrument_function))
#define WORKER		static inline __attribute__((always_inline, no_instrument_function))

enum { THREADS = 4, SLOTS = 4096, CHILDREN = 8, PEAK_BLOCKS = 3000, PEAK_BYTES = 900 << 20 };

static struct slot {
	atomic_int is_taken;	/* in a child for ever, where another thread of its parent held it */
	int generation;		/* of the process that allocated the block */
	void *volatile block;
	size_t bytes;
} slots[SLOTS];

static struct book {
	_Atomic uint64_t blocks, bytes;
} own, *children;		/* children: shared by all processes */
static struct slot peak[PEAK_BLOCKS];
static int generation;
static long nr_operations;

WORKER uint64_t draw(uint64_t *random)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return *random >> 33;
}

WORKER size_t draw_bytes(uint64_t *random)
{
	uint64_t kind = draw(random) % 50000;

	return kind == 0 ? (32u << 20) + draw(random) % (2u << 20) :
	       kind < 500 ? draw(random) % 300000 : kind < 5000 ? draw(random) % 5000 : draw(random) % 500;
}

WORKER void enter(struct slot *slot, void *block, size_t bytes)
{
	if (!block)
		abort();
	slot->block = block;
	slot->bytes = bytes;
	slot->generation = generation;
	own.blocks++;
	own.bytes += bytes;
}

WORKER void leave(struct slot *slot)
{
	if (slot->generation != generation)
		return;
	own.blocks--;
	own.bytes -= slot->bytes;
}

WORKER void *allocate(uint64_t *random, size_t bytes)
{
	void *block;

	switch (draw(random) % 6) {
	case 0:
		return calloc(1 + bytes % 2, bytes / (1 + bytes % 2));
	case 1:
		return memalign(16ul << draw(random) % 13, bytes);
	case 2:
		return posix_memalign(&block, 8ul << draw(random) % 6, bytes) ? NULL : block;
	case 3:
		return realloc(NULL, bytes);
	default:
		return malloc(bytes);
	}
}

WORKER void change(struct slot *slot, uint64_t *random)
{
	size_t bytes = draw_bytes(random) & ~1ul;

	if (!slot->block) {
		enter(slot, allocate(random, bytes), bytes - bytes % 2);
		return;
	}
	leave(slot);
	if (draw(random) % 4 == 0) {
		enter(slot, realloc(slot->block, bytes + 2), bytes + 2);
		return;
	}
	free(slot->block);
	slot->block = NULL;
}

__attribute__((noinline)) static void in_parent(struct slot *slot, uint64_t *random)
{
	change(slot, random);
}

__attribute__((noinline)) static void in_child(struct slot *slot, uint64_t *random)
{
	change(slot, random);
}

NOT_TIMED static void operate(uint64_t *random)
{
	struct slot *slot = &slots[draw(random) % SLOTS];

	if (atomic_exchange(&slot->is_taken, 1))
		return;
	if (generation)
		in_child(slot, random);
	else
		in_parent(slot, random);
	atomic_store(&slot->is_taken, 0);
}

/* The book begins anew: what is inherited is no block of this process. */
NOT_TIMED __attribute__((noreturn)) static void be_child(uint64_t random, int nr_more)
{
	generation++;
	own.blocks = own.bytes = 0;
	for (long i = 0; i < nr_operations / 20; i++) {
		operate(&random);
		if (nr_more && i == nr_operations / 40 && fork() == 0)
			be_child(random + 1, nr_more - 1);
	}
	while (wait(NULL) > 0)
		;
	children->blocks += own.blocks;
	children->bytes += own.bytes;
	_exit(0);
}

NOT_TIMED static void *work(void *number)
{
	uint64_t random = (uint64_t)(uintptr_t)number;
	long nr = nr_operations / THREADS;

	for (long i = 0; i < nr; i++) {
		operate(&random);
		if (number || (i + 1) % (nr / CHILDREN) != 0)
			continue;
		if (fork() == 0)
			be_child(random, (int)(i % 3));
	}
	return NULL;
}

/* The only thread so far. */
static void rise(void)
{
	uint64_t random = 7;

	for (int i = 0; i < PEAK_BLOCKS; i++) {
		size_t bytes = i ? draw_bytes(&random) & ~1ul : PEAK_BYTES;

		enter(&peak[i], i ? allocate(&random, bytes) : malloc(bytes), bytes);
	}
}

static void fall(void)
{
	for (int i = 0; i < PEAK_BLOCKS; i++) {
		leave(&peak[i]);
		free(peak[i].block);
	}
}

int main(int argc, char **argv)
{
	char line[200];
	pthread_t threads[THREADS];
	struct book highest;
	int length;

	nr_operations = argc > 1 ? atol(argv[1]) : 100000;
	children = mmap(NULL, sizeof(*children), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	rise();
	highest.blocks = own.blocks;
	highest.bytes = own.bytes;
	fall();
	for (uintptr_t i = 1; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	work(NULL);
	for (int i = 1; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	while (wait(NULL) > 0)
		;
	length = snprintf(line, sizeof(line), "%lu %lu %lu %lu %lu %lu\n", own.blocks, own.bytes,
			  children->blocks, children->bytes, highest.blocks, highest.bytes);
	return write(1, line, (size_t)length) != length;
}
