/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs of a given size, to measure reports. "sizes paths" makes 1,111,110 call paths of 10 functions, 6 deep. "sizes
 * processes N" runs N processes, at most 20 at a time, with 302 calls each. If RANKS is set, each of them is a rank of N and
 * runs "sizes RANKS", so RANKS=work makes 302 calls in each rank, and RANKS=tree makes 5,555 call paths, 4 deep.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned long sum;
static void (*table[10])(int);

#define DEFINE(i) \
	static void path_##i(int depth) { for (int k = 0; depth && k < 10; k++) table[k](depth - 1); }
DEFINE(0) DEFINE(1) DEFINE(2) DEFINE(3) DEFINE(4) DEFINE(5) DEFINE(6) DEFINE(7) DEFINE(8) DEFINE(9)

static void leaf(int i)
{
	sum += (unsigned long)i;
}

static void work(int n)
{
	for (int i = 0; i < n; i++)
		leaf(i);
}

static void paths(int nr, int depth)
{
	void (*const all[])(int) = { path_0, path_1, path_2, path_3, path_4, path_5, path_6, path_7, path_8, path_9 };

	memcpy(table, all, sizeof(all));
	for (int k = 0; k < nr; k++)
		table[k](depth - 1);
}

static void process(int i, int n, char **argv)
{
	char rank[16], size[16];

	snprintf(rank, sizeof(rank), "%d", i);
	snprintf(size, sizeof(size), "%d", n);
	setenv("PMI_RANK", rank, 1);
	setenv("PMI_SIZE", size, 1);
	if (getenv("RANKS"))
		execl(argv[0], argv[0], getenv("RANKS"), (char *)NULL);
	work(300);
	exit(0);
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 0;

	if (argc > 1 && strcmp(argv[1], "paths") == 0)
		paths(10, 6);
	else if (argc > 1 && strcmp(argv[1], "tree") == 0)
		paths(5, 4);
	else
		work(300);
	for (int i = 0; i < n; i++) {
		if (fork() == 0)
			process(i, n, argv);
		while (i % 20 == 19 && wait(NULL) > 0)
			;
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
