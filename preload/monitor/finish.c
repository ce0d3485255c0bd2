/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The line at the end, the summary, and the names that stay with the run. */
#include "monitor/finish.h"

#include <fcntl.h>
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

void finish_say_sampled(const char *run_path, int nr_processes, uint64_t nr_bytes)
{
	char bytes[COUNT_TEXT_BYTES];

	format_bytes(bytes, nr_bytes);
	if (nr_processes)
		fprintf(stderr, "insideme: %d process%s sampled, %s; read with: insideme-report -v resources %s\n", nr_processes,
			nr_processes == 1 ? "" : "es", bytes, short_path(run_path));
	else
		fprintf(stderr, "insideme: the machine was sampled, %s; read with: insideme-report -v resources %s\n", bytes,
			short_path(run_path));
}

/* Our own children are not recorded. @option: NULL: the summary, on stderr; else said is nothing. */
static void run_report(const char *report, const char *option, const char *run_path, const sigset_t *mask)
{
	int nowhere = option ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;

	sigprocmask(SIG_SETMASK, mask, NULL);
	unsetenv("LD_PRELOAD");
	if (nowhere >= 0)
		dup2(nowhere, STDERR_FILENO);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	if (option)
		unsetenv("DEBUGINFOD_URLS");	/* whoever waits for us does not wait for a server */
	execl(report, "insideme-report", option ? option : run_path, option ? run_path : NULL, (char *)NULL);
	fprintf(stderr, "insideme: cannot run %s: %m\n", report);
	_exit(127);
}

static void wait_for_report(const char *option, const char *run_path, const sigset_t *mask)
{
	char directory[PATH_MAX], report[PATH_MAX + 32];
	pid_t pid;

	if (!own_directory(directory, sizeof(directory)))
		return;
	snprintf(report, sizeof(report), "%sinsideme-report", directory);
	pid = fork();
	if (pid == 0)
		run_report(report, option, run_path, mask);
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

void finish_print_summary(const char *run_path, const sigset_t *mask)
{
	wait_for_report(NULL, run_path, mask);
}

void finish_save_names(const char *run_path, const sigset_t *mask)
{
	wait_for_report("--save-names", run_path, mask);
}
