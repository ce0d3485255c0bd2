/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What malloc and free cost: blocks KIND PAIRS [DEPTH], 10 calls deep or DEPTH, 64 bytes each.
 *   one        one thread
 *   two        two threads at once, each its own blocks
 *   exchange   two threads at once, each frees what the other allocated
 *   keep       one thread, whose blocks all live on
 *   LIVE       one thread, which frees one of LIVE blocks at random and allocates another, of 16 to 527 bytes
 * Prints ns per pair (keep: per allocation), of the slower thread: those of the best of many short stretches, and the
 * thread's CPU time for all of them.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOT_TIMED	__attribute__((no_instrument_function))
#define STRETCH		500
#define BATCH		1024
#define BYTES		64

struct job {
	void (*stretch)(struct job *job, int pairs);
	struct job *other;
	long pairs;
	int depth;
	double ns;
	double cpu_ns;
	void *volatile blocks[BATCH];	/* for the other thread, which frees them */
};

NOT_TIMED static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

NOT_TIMED static void own_blocks(struct job *job, int pairs)
{
	for (int i = 0; i < pairs; i++) {
		void *block = malloc(BYTES);

		__asm__ volatile("" : : "r"(block) : "memory");
		free(block);
	}
}

/* Leave one for the other thread, and free what that has left, if anything. */
NOT_TIMED static void others_blocks(struct job *job, int pairs)
{
	for (int i = 0; i < pairs; i++) {
		free(__atomic_exchange_n(&job->other->blocks[i % BATCH], malloc(BYTES), __ATOMIC_ACQ_REL));
		free(__atomic_exchange_n(&job->blocks[i % BATCH], NULL, __ATOMIC_ACQ_REL));
	}
}

NOT_TIMED static void kept_blocks(struct job *job, int pairs)
{
	static void *volatile list;

	for (int i = 0; i < pairs; i++) {
		void **block = malloc(BYTES);

		*block = list;
		list = block;
	}
}

static void **live;
static uint64_t nr_live;

/* The first so many pairs fill the slots in their order. */
NOT_TIMED static void random_blocks(struct job *job, int pairs)
{
	static uint64_t random = 1, nr_filled;

	for (int i = 0; i < pairs; i++) {
		uint64_t slot = nr_filled < nr_live ? nr_filled++ : (random >> 32) * nr_live >> 32;

		random = random * 6364136223846793005u + 1442695040888963407u;
		free(live[slot]);
		live[slot] = malloc(16 + (random >> 60 << 5) + (random >> 40) % 32);
	}
}

NOT_TIMED static void fill(void)
{
	live = calloc(nr_live, sizeof(*live));
	if (!live)
		abort();
	for (uint64_t i = 0; i < 3 * nr_live; i += STRETCH)
		random_blocks(NULL, STRETCH);
}

NOT_TIMED static void measure(struct job *job)
{
	uint64_t begin;

	if (nr_live)
		fill();
	begin = now_ns(CLOCK_THREAD_CPUTIME_ID);
	job->ns = 1e9;
	for (long done = 0; done < job->pairs; done += STRETCH) {
		uint64_t start = now_ns(CLOCK_MONOTONIC);
		double ns;

		job->stretch(job, STRETCH);
		ns = (double)(now_ns(CLOCK_MONOTONIC) - start) / STRETCH;
		if (ns < job->ns)
			job->ns = ns;
	}
	job->cpu_ns = (double)(now_ns(CLOCK_THREAD_CPUTIME_ID) - begin) / (double)job->pairs;
}

__attribute__((noinline)) static void go_down(struct job *job, int depth)
{
	if (depth)
		go_down(job, depth - 1);
	else
		measure(job);
	__asm__ volatile("" ::: "memory");
}

static void *do_job(void *argument)
{
	struct job *job = argument;

	go_down(job, job->depth - 1);
	return NULL;
}

int main(int argc, char **argv)
{
	static struct job jobs[2];
	const char *kind = argc > 2 ? argv[1] : "";
	int is_one;
	pthread_t thread;

	nr_live = (uint64_t)atol(kind);
	is_one = nr_live || !strcmp(kind, "one") || !strcmp(kind, "keep");
	for (int i = 0; i < 2; i++) {
		jobs[i].stretch = !strcmp(kind, "exchange") ? others_blocks : !strcmp(kind, "keep") ? kept_blocks :
				  nr_live ? random_blocks : own_blocks;
		jobs[i].other = &jobs[1 - i];
		jobs[i].pairs = argc > 2 ? atol(argv[2]) : 0;
		jobs[i].depth = argc > 3 ? atoi(argv[3]) : 10;
	}
	if (!is_one && strcmp(kind, "two") && strcmp(kind, "exchange"))
		return 2;
	if (!is_one)
		pthread_create(&thread, NULL, do_job, &jobs[1]);
	do_job(&jobs[0]);
	if (!is_one)
		pthread_join(thread, NULL);
	printf("%.3f %.3f\n", !is_one && jobs[1].ns > jobs[0].ns ? jobs[1].ns : jobs[0].ns,
	       !is_one && jobs[1].cpu_ns > jobs[0].cpu_ns ? jobs[1].cpu_ns : jobs[0].cpu_ns);
	return 0;
}
