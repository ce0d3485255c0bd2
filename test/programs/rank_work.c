/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A rank of a launch that makes no MPI call: rank r of n, as argument 1 (a variable's name) tells, calls
 * work() 100 * (r + 1) times. With argument 2, "child", each rank also starts itself once more as a process
 * of its own that calls child_work() 7 times: a child of the rank, which has its variables. With "wait" it
 * reads its input to the end. The report must show: work 100 * (r + 1) calls with --rank r, over all 100 * n
 * * (n + 1) / 2; child_work 7 * n.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sink;

__attribute__((noinline)) static void work(int i)
{
	sink += i;
}

__attribute__((noinline)) static void child_work(int i)
{
	sink -= i;
}

static int start_child(char *program)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		execl(program, program, "as-child", (char *)NULL);
		_exit(127);
	}
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

int main(int argc, char **argv)
{
	const char *rank = argc > 1 ? getenv(argv[1]) : NULL;

	if (argc > 1 && strcmp(argv[1], "as-child") == 0) {
		for (int i = 0; i < 7; i++)
			child_work(i);
		return 0;
	}
	if (!rank) {
		fprintf(stderr, "rank_work: no variable of that name\n");
		return 2;
	}
	for (int i = 0; i < 100 * (atoi(rank) + 1); i++)
		work(i);
	while (argc > 2 && strcmp(argv[2], "wait") == 0 && getchar() != EOF)
		;
	return argc > 2 && strcmp(argv[2], "child") == 0 ? start_child(argv[0]) : 0;
}
