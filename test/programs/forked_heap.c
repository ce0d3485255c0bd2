/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * forked_heap HOW: a program that the tests build without hooks. It ends with 10 and the sum of its
 * children's statuses, which tell who they are. Before the first fork the program allocates 10 blocks of at
 * least 5000 bytes and keeps them; a child frees one of them. What children allocate the report must show for
 * each of them, to the byte:
 *   once    a child, status 3: 20 blocks of at least 1000 bytes, 8 of them freed; it ends at once
 *   later   a child, status 4, that does the same before and after 30 ms of CPU time
 *   nested  a child, status 3, and its own child before it ends, status 5, 7 blocks more
 *   moved   a child, status 6: a block of at least 1000 bytes by calloc(), which realloc() makes one of 5000;
 *           and a failure
 *   held    like once, but waits for the end of its input; then another child that makes no call; both say
 *           their pids
 *   usable  prints how many bytes blocks of 1000 and of 5000 have
 */
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void *volatile kept[10];
static void *volatile blocks[60];
static int nr_blocks;

static void spin_ms(int ms)
{
	struct timespec now;

	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	while (now.tv_sec * 1000 + now.tv_nsec / 1000000 < ms);
}

static void allocate(int nr, int freed)
{
	int first = nr_blocks;

	for (int i = 0; i < nr; i++)
		blocks[nr_blocks++] = malloc(1000);
	for (int i = 0; i < freed; i++)
		free(blocks[first + i]);
}

static void once(void)
{
	free(kept[0]);
	allocate(20, 8);
}

static void moved(void)
{
	volatile size_t too_many = SIZE_MAX / 2;
	void *volatile block = calloc(10, 100);

	block = realloc(block, 5000);
	if (malloc(too_many))
		_exit(1);
}

static void say_and_wait(void)
{
	char line[32], byte;
	int length = snprintf(line, sizeof(line), "%d\n", (int)getpid());

	if (write(1, line, (size_t)length) != length)
		_exit(1);
	while (read(0, &byte, 1) > 0)
		;
}

static int wait_for_all(void)
{
	int status, sum = 0;

	while (wait(&status) > 0)
		sum += WIFEXITED(status) ? WEXITSTATUS(status) : 100;
	return sum;
}

static int child(const char *how)
{
	if (!strcmp(how, "moved")) {
		moved();
		return 6;
	}
	once();
	if (!strcmp(how, "held"))
		say_and_wait();
	if (!strcmp(how, "later")) {
		spin_ms(30);
		allocate(20, 8);
		return 4;
	}
	if (strcmp(how, "nested"))
		return 3;
	if (fork() == 0) {
		allocate(7, 0);
		_exit(5);
	}
	return wait_for_all() == 5 ? 3 : 1;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	if (!strcmp(how, "usable")) {
		kept[0] = malloc(1000);
		kept[1] = malloc(5000);
		printf("%zu %zu\n", malloc_usable_size(kept[0]), malloc_usable_size(kept[1]));
		return 0;
	}
	for (int i = 0; i < 10; i++)
		kept[i] = malloc(5000);
	if (fork() == 0)
		_exit(child(how));
	if (!strcmp(how, "held") && fork() == 0) {
		say_and_wait();
		_exit(7);
	}
	return 10 + wait_for_all();
}
