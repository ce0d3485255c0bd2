/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Blocks that a forked child inherits: inherited [fork|_Fork|clone]. The program allocates 1000 blocks of 1
 * to 1000 bytes, 500500 in all. Its child frees the first 400, 80200 bytes, after a realloc of every second
 * one that fails, and keeps 4 of 7 own ones of 100 bytes. The child's child frees these and all the others
 * but the last 10, 410745 bytes in 594 frees. The report must show these frees at free_some and free_rest, as
 * not freed allocate 1000 blocks of 500500 bytes and child_keeps 4 of 400; and as the heap when leave() ends
 * 500500, 420700 and 9955 bytes.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SITE __attribute__((noinline)) static

enum { NR = 1000, NR_CHILDS = 400, NR_LEFT = 10 };

static void *volatile blocks[NR], *volatile own[7];

SITE void allocate(void)
{
	for (size_t i = 0; i < NR; i++)
		blocks[i] = malloc(i + 1);
}

SITE void free_some(void)
{
	for (int i = 0; i < NR_CHILDS; i++) {
		volatile size_t too_much = PTRDIFF_MAX;

		if (i % 2 && realloc(blocks[i], too_much))	/* which fails, and leaves it as it was */
			abort();
		free(blocks[i]);
	}
}

SITE void child_keeps(void)
{
	for (int i = 0; i < 7; i++)
		own[i] = malloc(100);
	for (int i = 0; i < 3; i++)
		free(own[i]);
}

SITE void free_rest(void)
{
	for (int i = NR_CHILDS; i < NR - NR_LEFT; i++)
		free(blocks[i]);
	for (int i = 3; i < 7; i++)
		free(own[i]);
}

SITE void leave(void)
{
	static volatile int nr_left;

	nr_left++;
}

SITE pid_t make_child(const char *how)
{
	if (!strcmp(how, "_Fork"))
		return _Fork();
	return !strcmp(how, "clone") ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
}

SITE int wait_for(pid_t pid)
{
	int status;

	return pid < 0 || waitpid(pid, &status, 0) != pid || status != 0;
}

SITE int child(const char *how)
{
	pid_t pid;

	free_some();
	child_keeps();
	pid = make_child(how);
	if (pid == 0)
		free_rest();
	leave();
	if (pid == 0)
		_exit(0);
	return wait_for(pid);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "fork";
	pid_t pid;

	allocate();
	pid = make_child(how);
	if (pid == 0)
		_exit(child(how));
	leave();
	return wait_for(pid);
}
