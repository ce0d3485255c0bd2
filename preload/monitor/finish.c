/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The line at the end, and the summary. */
#include "monitor/finish.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "monitor/count.h"
#include "monitor/library.h"

/* As short as it can be typed from here. */
static const char *short_path(const char *path)
{
	char here[PATH_MAX];
	size_t length;

	if (!getcwd(here, sizeof(here)))
		return path;
	length = strlen(here);
	return length > 1 && !strncmp(path, here, length) && path[length] == '/' ? path + length + 1 : path;
}

void finish_say(const char *run_path, uint64_t nr_calls, uint64_t nr_bytes)
{
	const char *path = short_path(run_path), *quote = strpbrk(path, " \t\"$&|;<>()*?[\\`") ? "'" : "";
	char calls[COUNT_TEXT_BYTES], bytes[COUNT_TEXT_BYTES];

	if (!nr_bytes) {
		fprintf(stderr, "insideme: no process was recorded\n");
		return;
	}
	format_count(calls, nr_calls);
	format_bytes(bytes, nr_bytes);
	fprintf(stderr, "insideme: %s call%s, %s; read with: insideme-report %s%s%s\n", calls, nr_calls == 1 ? "" : "s", bytes,
		quote, path, quote);
}

/* Our own children are not recorded. */
static void run_report(const char *report, const char *run_path, const sigset_t *mask)
{
	sigprocmask(SIG_SETMASK, mask, NULL);
	unsetenv("LD_PRELOAD");
	dup2(STDERR_FILENO, STDOUT_FILENO);
	execl(report, "insideme-report", run_path, (char *)NULL);
	fprintf(stderr, "insideme: cannot run %s: %m\n", report);
	_exit(127);
}

void finish_print_summary(const char *run_path, const sigset_t *mask)
{
	char directory[PATH_MAX], report[PATH_MAX + 32];
	pid_t pid;

	if (!own_directory(directory, sizeof(directory)))
		return;
	snprintf(report, sizeof(report), "%sinsideme-report", directory);
	pid = fork();
	if (pid == 0)
		run_report(report, run_path, mask);
	if (pid > 0)
		waitpid(pid, NULL, 0);
}
