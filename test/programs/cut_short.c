/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls of malloc and free that are cut short at any instruction: cut_short fork|die. A timer interrupts
 * them.
 *   fork   the handler forks. The child goes on where its parent was interrupted, makes 100 more pairs, and
 *          ends
 *   die    the handler ends its thread, in 6 threads; the first one goes on alone
 * The first thread makes 5 million pairs of free and malloc in pairs(), and keeps 1,000 blocks of 100 bytes
 * in keep(), one every 5,000 pairs. Children's pairs are made in pairs_of_child(). Prints the number of
 * children, and the blocks and bytes of pairs() that the first process has at its end. Exit status 0: all
 * children have exited with 0.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_FORKS = 100, THREADS = 6, BLOCKS = 64, PAIRS = 5000 };

static volatile int nr_forks, is_child;
static pthread_t first;

struct slot {
	void *block;
	unsigned int bytes;
};

__attribute__((no_instrument_function)) static void on_fork(int signal)
{
	if (is_child || nr_forks == MOST_FORKS)
		return;
	nr_forks++;
	is_child = fork() == 0;
}

__attribute__((no_instrument_function)) static void on_die(int signal)
{
	if (!pthread_equal(pthread_self(), first))
		syscall(SYS_exit, 0);
}

__attribute__((no_instrument_function)) static void one_pair(struct slot slots[], unsigned int i)
{
	struct slot *slot = &slots[i * 7 % BLOCKS];

	free(slot->block);
	slot->bytes = 16 + i % 400;
	slot->block = malloc(slot->bytes);
}

__attribute__((noinline)) static void pairs_of_child(struct slot slots[])
{
	for (unsigned int i = 0; i < 100; i++)
		one_pair(slots, i);
	_exit(0);
}

__attribute__((noinline)) static void pairs(struct slot slots[], unsigned int nr)
{
	for (unsigned int i = 0; i < nr && !is_child; i++)
		one_pair(slots, i);
}

__attribute__((noinline)) static void keep(void)
{
	static void *volatile kept;
	void **block = malloc(100);

	*block = kept;
	kept = block;
}

static void *work(void *unused)
{
	struct slot slots[BLOCKS] = { { NULL, 0 } };

	for (;;)
		pairs(slots, 1000);
	return unused;
}

static void interrupt_each(int microseconds, void (*handler)(int))
{
	struct itimerval often = { { 0, microseconds }, { 0, microseconds } };
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };

	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_PROF, &often, NULL);
}

__attribute__((no_instrument_function)) int main(int argc, char **argv)
{
	struct slot slots[BLOCKS] = { { NULL, 0 } };
	pthread_t threads[THREADS];
	unsigned int bytes = 0;
	int status, is_wrong = 0;

	if (argc < 2)
		return 2;
	first = pthread_self();
	for (int i = 0; !strcmp(argv[1], "die") && i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	interrupt_each(1000, strcmp(argv[1], "die") ? on_fork : on_die);
	for (int i = 0; i < 1000 && !is_child; i++) {
		pairs(slots, PAIRS);
		if (!is_child)
			keep();
	}
	if (is_child)
		pairs_of_child(slots);
	interrupt_each(0, SIG_IGN);
	while (wait(&status) > 0)
		is_wrong |= status;
	for (int i = 0; i < BLOCKS; i++)
		bytes += slots[i].bytes;
	dprintf(1, "%d %d %u\n", nr_forks, BLOCKS, bytes);
	return is_wrong;
}
