/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Processes: fork, exec of itself, vfork + exec, a child that exits by _exit, one killed. The report must
 * show
 *   parent_work 100 calls, child_work 150 (3 children, 50 each), after_fork 3 (each in a child, under main >
 *   spawn),
 *   exec_work 25 (in the child that ran itself again);
 *   main 5 and spawn 6: a call that is open at a fork goes on in both processes, and counts in both;
 *   5 processes: parent, 3 children of fork, the one of vfork (which is /bin/true: no hooks).
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile long sink;

__attribute__((noinline)) static void parent_work(void)
{
	sink++;
}

__attribute__((noinline)) static void child_work(void)
{
	sink++;
}

__attribute__((noinline)) static void exec_work(void)
{
	sink++;
}

__attribute__((noinline)) static void after_fork(void)
{
	for (int i = 0; i < 50; i++)
		child_work();
}

__attribute__((noinline)) static int spawn(const char *kind, char *self)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		after_fork();
		if (!strcmp(kind, "exec"))
			execl(self, self, "again", (char *)NULL);
		if (!strcmp(kind, "kill"))
			raise(SIGKILL);
		_exit(3);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

__attribute__((noinline)) static int vfork_true(void)
{
	int status;
	pid_t child = vfork();

	if (child == 0) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(127);
	}
	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		for (int i = 0; i < 25; i++)
			exec_work();
		return 4;
	}
	for (int i = 0; i < 50; i++)
		parent_work();
	setvbuf(stdout, NULL, _IONBF, 0);
	printf("exit %d\n", spawn("exit", argv[0]));
	printf("exec %d\n", spawn("exec", argv[0]));
	printf("kill %d\n", spawn("kill", argv[0]));
	printf("vfork %d\n", vfork_true());
	for (int i = 0; i < 50; i++)
		parent_work();
	return 0;
}
