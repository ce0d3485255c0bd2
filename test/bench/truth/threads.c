/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Truth bench: four threads, each with another mixture of the same functions. Argument: rounds. main() only waits:
 * that is no CPU time, and left out.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 4
#define SIZE 2048

struct worker {
	pthread_t thread;
	int number;
	long rounds;
	unsigned state;
	unsigned values[SIZE];
};

static struct worker workers[THREADS];
static atomic_ulong shared;

static unsigned next(struct worker *worker)
{
	worker->state = worker->state * 1664525 + 1013904223;
	return worker->state >> 8;
}

static void fill(struct worker *worker)
{
	for (int i = 0; i < SIZE; i++)
		worker->values[i] = next(worker);
}

static void swap(unsigned *a, unsigned *b)
{
	unsigned value = *a;

	*a = *b;
	*b = value;
}

static void sort_part(unsigned *values, int nr)
{
	for (int i = 1; i < nr; i++)
		for (int j = i; j > 0 && values[j] < values[j - 1]; j--)
			swap(&values[j], &values[j - 1]);
}

static unsigned weigh(const unsigned *values, int nr)
{
	unsigned sum = 0;

	for (int i = 0; i < nr; i++)
		sum = sum * 31 + values[i] % 1021;
	return sum;
}

static void publish(unsigned sum)
{
	atomic_fetch_add(&shared, sum);
}

static void *work(void *arg)
{
	struct worker *worker = arg;

	for (long i = 0; i < worker->rounds; i++) {
		fill(worker);
		for (int part = 0; part < SIZE; part += 32) {
			if (worker->number % 2)
				sort_part(worker->values + part, 12);
			publish(weigh(worker->values + part, worker->number > 1 ? 32 : 8));
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	for (int i = 0; i < THREADS; i++) {
		workers[i].number = i;
		workers[i].rounds = argc > 1 ? atol(argv[1]) : 1;
		pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(workers[i].thread, NULL);
	printf("%lu\n", atomic_load(&shared));
	return 0;
}
