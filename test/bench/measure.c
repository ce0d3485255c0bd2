/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * measure RUNS [NAME=VALUE]... COMMAND...: runs it so often, with these in its environment; prints
 * "MEDIAN_NS MAX_RSS_BYTES". Its output goes nowhere; any exit status but 0 is a failure.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int run_once(char **command, uint64_t *ns, long *max_rss_kib)
{
	uint64_t start = now_ns();
	struct rusage usage;
	pid_t child = fork();
	int status;

	if (child == 0) {
		dup2(open("/dev/null", O_WRONLY), 1);
		for (; *command && strchr(*command, '='); command++)
			putenv(*command);
		execvp(command[0], command);
		perror(command[0]);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) < 0 || !WIFEXITED(status) || WEXITSTATUS(status))
		return -1;
	*ns = now_ns() - start;
	if (usage.ru_maxrss > *max_rss_kib)
		*max_rss_kib = usage.ru_maxrss;
	return 0;
}

int main(int argc, char **argv)
{
	int runs = argc > 2 ? atoi(argv[1]) : 0;
	uint64_t *ns = calloc((size_t)runs + 1, sizeof(*ns));
	long max_rss_kib = 0;

	if (runs < 1 || !ns)
		return 2;
	for (int i = 0; i < runs; i++)
		if (run_once(argv + 2, &ns[i], &max_rss_kib) < 0)
			return 1;
	qsort(ns, (size_t)runs, sizeof(*ns), compare);
	printf("%lu %ld\n", ns[runs / 2], max_rss_kib * 1024);
	return 0;
}
