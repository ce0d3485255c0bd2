/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Built without hooks: heap_sites [fork | dies | waits]. Each function below allocates blocks of one size,
 * and prints on stdout what a report must say of it: "FUNCTION ALLOCATED_BYTES ALLOCATIONS LIVE_BYTES
 * LIVE_BLOCKS", in usable sizes as malloc_usable_size() tells them. Those named keep_... free nothing;
 * peak_only's blocks live when the heap is highest; exchange's are freed by another thread than that which
 * allocated them.
 */
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define MANY 20000

struct site {
	size_t bytes, blocks, freed_bytes, freed_blocks;
};

static struct site by_constructor, keep_small, keep_calloc, keep_large, churn, peak_only, by_realloc,
	keep_aligned, exchange, in_handler, child_keeps;
static void *volatile kept;	/* so that no pair of malloc() and free() is left out */

static void *allocated(struct site *site, void *block)
{
	size_t bytes = malloc_usable_size(block);

	__atomic_fetch_add(&site->bytes, bytes, __ATOMIC_RELAXED);
	__atomic_fetch_add(&site->blocks, 1, __ATOMIC_RELAXED);
	return kept = block;
}

static void freed(struct site *site, void *block)
{
	size_t bytes = malloc_usable_size(block);

	__atomic_fetch_add(&site->freed_bytes, bytes, __ATOMIC_RELAXED);
	__atomic_fetch_add(&site->freed_blocks, 1, __ATOMIC_RELAXED);
	free(block);
}

static void say(const char *name, const struct site *site)
{
	printf("%s %zu %zu %zu %zu\n", name, site->bytes, site->blocks, site->bytes - site->freed_bytes,
	       site->blocks - site->freed_blocks);
}

__attribute__((constructor)) static NOINLINE void do_by_constructor(void)
{
	for (int i = 0; i < MANY; i++)
		allocated(&by_constructor, malloc(300));
}

static NOINLINE void do_keep_small(void)
{
	for (int i = 0; i < MANY; i++)
		allocated(&keep_small, malloc(40));
}

static NOINLINE void do_keep_calloc(void)
{
	for (int i = 0; i < MANY; i++)
		allocated(&keep_calloc, calloc(10, 100));
}

static NOINLINE void do_keep_large(void)
{
	for (int i = 0; i < 100; i++)
		allocated(&keep_large, malloc(100000));
}

static NOINLINE void do_churn(void)
{
	for (int i = 0; i < 10 * MANY; i++)
		freed(&churn, allocated(&churn, malloc(500)));
}

static NOINLINE void do_peak_only(void)
{
	static void *blocks[MANY];

	for (int i = 0; i < MANY; i++)
		blocks[i] = allocated(&peak_only, malloc(2000));
	for (int i = 0; i < MANY; i++)
		freed(&peak_only, blocks[i]);
}

/*
 * Each step frees the block of the one before. None is so small that a single sample would stand for a great
 * part of them.
 */
static NOINLINE void do_by_realloc(void)
{
	char *block = NULL;
	size_t old = 0;

	for (size_t bytes = 512; bytes < 4000000; bytes += bytes / 64 + 16) {
		block = realloc(block, bytes);
		allocated(&by_realloc, block);
		by_realloc.freed_bytes += old;
		by_realloc.freed_blocks += old != 0;
		old = malloc_usable_size(block);
	}
}

static NOINLINE void do_keep_aligned(void)
{
	void *block;

	for (int i = 0; i < MANY / 2; i++) {
		allocated(&keep_aligned, aligned_alloc(64, 640));
		if (posix_memalign(&block, 256, 512) == 0)
			allocated(&keep_aligned, block);
	}
}

/* ---- threads ---- */

static struct handed {
	void *blocks[MANY];
	pthread_barrier_t barrier;
} handed[2];

static NOINLINE void do_exchange(struct handed *out, struct handed *in)
{
	for (int i = 0; i < MANY; i++)
		out->blocks[i] = allocated(&exchange, malloc(700));
	pthread_barrier_wait(&handed[0].barrier);
	for (int i = 0; i < MANY; i++)
		if (i % 4)
			freed(&exchange, in->blocks[i]);
}

static void *run(void *me)
{
	do_exchange(me, &handed[me == &handed[0]]);
	return NULL;
}

static NOINLINE void with_threads(void)
{
	pthread_t threads[2];

	pthread_barrier_init(&handed[0].barrier, NULL, 2);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, &handed[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

/* ---- handlers: the program is never in malloc() when one comes ---- */

static NOINLINE void do_in_handler(int signal)
{
	allocated(&in_handler, malloc(900));
}

static NOINLINE void with_signals(void)
{
	signal(SIGUSR1, do_in_handler);
	for (int i = 0; i < MANY; i++)
		raise(SIGUSR1);
}

/* ---- */

static NOINLINE void do_child_keeps(void)
{
	for (int i = 0; i < MANY; i++)
		allocated(&child_keeps, malloc(800));
}

static void in_child(void)
{
	usleep(20000);		/* by then a child has a log of its own */
	do_child_keeps();
	say("child_keeps", &child_keeps);
	fflush(stdout);
}

static void say_all(void)
{
	static const struct { const char *name; const struct site *site;
	} sites[] = {
		{ "by_constructor", &by_constructor },
		{ "keep_small", &keep_small },
		{ "keep_calloc", &keep_calloc },
		{ "keep_large", &keep_large },
		{ "churn", &churn },
		{ "peak_only", &peak_only },
		{ "by_realloc", &by_realloc },
		{ "keep_aligned", &keep_aligned },
		{ "exchange", &exchange },
		{ "in_handler", &in_handler },
	};

	for (size_t i = 0; i < sizeof(sites) / sizeof(*sites); i++)
		if (sites[i].site->blocks)
			say(sites[i].name, sites[i].site);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	pid_t child;

	do_keep_small();
	do_keep_calloc();
	do_keep_large();
	do_churn();
	do_by_realloc();
	do_keep_aligned();
	with_threads();
	with_signals();
	do_peak_only();
	if (argc > 1 && strcmp(argv[1], "fork") == 0) {
		child = fork();
		if (child == 0) {
			in_child();
			return 0;
		}
		waitpid(child, NULL, 0);
	}
	say_all();
	if (argc > 1 && strcmp(argv[1], "dies") == 0)
		kill(getpid(), SIGKILL);
	if (argc > 1 && strcmp(argv[1], "waits") == 0)
		pause();
	return 0;
}
