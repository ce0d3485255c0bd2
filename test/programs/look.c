/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a program can see of itself: open descriptors, environment (except LD_PRELOAD and INSIDEME_), signal
 * mask and handlers, working directory, umask, children, errno across calls with hooks, and whether libc
 * takes it for single-threaded. Its output must be the same with and without the library.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

__attribute__((noinline)) static int with_hooks(int n)
{
	return n > 0 ? with_hooks(n - 1) + 1 : 0;
}

static void print_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	int nr = 0;

	while (dir && (entry = readdir(dir)))
		nr += entry->d_name[0] != '.' && atoi(entry->d_name) != dirfd(dir);
	printf("descriptors %d, next %d\n", nr, dir ? dirfd(dir) : -1);
	if (dir)
		closedir(dir);
}

static void print_environment(void)
{
	for (char **one = environ; *one; one++)
		if (strncmp(*one, "LD_PRELOAD=", 11) && strncmp(*one, "INSIDEME_", 9) &&
		    strncmp(*one, "_=", 2))
			puts(*one);
}

static void print_signals(void)
{
	sigset_t mask;

	sigprocmask(SIG_BLOCK, NULL, &mask);
	for (int i = 1; i < 65; i++) {
		struct sigaction action;

		if (sigismember(&mask, i) == 1)
			printf("signal %d is blocked\n", i);
		if (sigaction(i, NULL, &action) == 0 && action.sa_handler != SIG_DFL)
			printf("signal %d is handled\n", i);
	}
}

int main(void)
{
	mode_t mask = umask(0);
	int status;

	print_descriptors();
	print_environment();
	print_signals();
	printf("cwd %s, umask %o\n", getcwd(NULL, 0), mask);
	printf("single-threaded %d\n", __libc_single_threaded);
	printf("wait %d", waitpid(-1, &status, WNOHANG));
	printf(" %s\n", strerror(errno));
	errno = 42;
	with_hooks(10);
	free(malloc(100));
	printf("errno %d\n", errno);
	return 0;
}
