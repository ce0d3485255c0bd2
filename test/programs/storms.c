/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The heap where it is hard to follow. Four threads allocate and free all the time while the program forks 40
 * children. The report must show as not freed: child_keeps 40 blocks of 1000 bytes, 1 in each child; handler
 * 5 of 33 (it allocates in 50 signals, and the program frees 45); at_thread_end 4 of 44, 1 in each thread,
 * allocated in its destructor; up_to_limit none, although it allocates until the limit of the address space
 * says no; nothing of churn and exchange, whose blocks other threads free. Exit status 0: every child exited
 * with 0, and failures were what they had to be.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SITE __attribute__((noinline)) static

static atomic_int is_over;
static _Atomic(void *) slots[64];
static void *volatile kept, *volatile inherited, *volatile handled[50];
static volatile int nr_handled;
static pthread_key_t key;
static void *(*volatile call_malloc)(size_t) = malloc;	/* clang believes that malloc leaves errno alone */

SITE void churn(unsigned int *random)
{
	void *blocks[16];

	for (int i = 0; i < 16; i++)
		blocks[i] = malloc((size_t)rand_r(random) % 2000);
	for (int i = 0; i < 16; i++)
		blocks[i] = realloc(blocks[i], (size_t)rand_r(random) % 3000 + 1);
	for (int i = 0; i < 16; i++)
		free(blocks[i]);
}

/* The next thread that comes frees it. */
SITE void exchange(unsigned int *random)
{
	void *block = malloc((size_t)rand_r(random) % 500);

	free(atomic_exchange(&slots[rand_r(random) % 64], block));
}

SITE void at_thread_end(void *block)
{
	free(block);
	kept = malloc(44);
}

SITE void *work(void *argument)
{
	unsigned int random = (unsigned int)(size_t)argument;

	pthread_setspecific(key, malloc(9));
	while (!is_over) {
		churn(&random);
		exchange(&random);
	}
	return NULL;
}

SITE void child_keeps(void)
{
	kept = malloc(1000);
}

SITE int child(void)
{
	unsigned int random = 1;

	free(inherited);
	for (int i = 0; i < 20; i++)
		churn(&random);
	child_keeps();
	return kept ? 0 : 1;
}

SITE int fork_children(void)
{
	int bad = 0, status;

	for (int i = 0; i < 40; i++) {
		pid_t pid = fork();

		if (pid == 0)
			exit(child());
		bad += pid < 0 || waitpid(pid, &status, 0) != pid || status != 0;
	}
	return bad;
}

SITE void handler(int signal)
{
	handled[nr_handled++] = malloc(33);
}

SITE void signals(void)
{
	signal(SIGUSR1, handler);
	for (int i = 0; i < 50; i++)
		raise(SIGUSR1);
	for (int i = 0; i < 45; i++)
		free(handled[i]);
}

/* Blocks of 1 MiB, each the head of a list. */
SITE int up_to_limit(void)
{
	struct rlimit limit = { 1ul << 30, RLIM_INFINITY };
	void **list = NULL, **block;
	int nr = 0;

	setrlimit(RLIMIT_AS, &limit);
	errno = 0;
	while ((block = call_malloc(1 << 20))) {
		*block = list;
		list = block;
		nr++;
	}
	nr = errno == ENOMEM ? nr : 0;
	for (; list; list = block) {
		block = *list;
		free(list);
	}
	return nr > 100 && nr < 1024 ? 0 : 1;
}

int main(void)
{
	pthread_t threads[4];
	int bad;

	inherited = malloc(777);
	pthread_key_create(&key, at_thread_end);
	for (size_t i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, work, (void *)(i + 1));
	bad = fork_children();
	is_over = 1;
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 64; i++)
		free(slots[i]);
	free(inherited);
	signals();
	return bad + up_to_limit();
}
