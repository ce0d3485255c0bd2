/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starting insideme-report. */
#include "preload/monitor/tools/start_report.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/monitor/tools/library.h"

#define ARGUMENTS_MOST 16

static void run_report(const char *report, const char *const *arguments, enum report_use use)
{
	const char *argv[ARGUMENTS_MOST + 2] = { "insideme-report" };
	int nowhere = use == REPORT_QUIET ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;

	for (int i = 0; i < ARGUMENTS_MOST && arguments[i]; i++)
		argv[i + 1] = arguments[i];
	unsetenv("LD_PRELOAD");
	if (nowhere >= 0)
		dup2(nowhere, STDERR_FILENO);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	if (use != REPORT_SHOWN)
		unsetenv("DEBUGINFOD_URLS");	/* whoever waits for us does not wait for a server */
	if (use == REPORT_LIVE) {
		signal(SIGINT, SIG_IGN);
		signal(SIGQUIT, SIG_IGN);
	}
	execv(report, (char *const *)argv);
	fprintf(stderr, "insideme: cannot run %s: %m\n", report);
	_exit(127);
}

pid_t report_start(const char *const *arguments, const sigset_t *mask, enum report_use use)
{
	char directory[PATH_MAX], report[PATH_MAX + 32];
	pid_t pid;

	if (!own_directory(directory, sizeof(directory)))
		return -ENOENT;
	snprintf(report, sizeof(report), "%sinsideme-report", directory);
	pid = fork();
	if (pid == 0) {
		sigprocmask(SIG_SETMASK, mask, NULL);
		run_report(report, arguments, use);
	}
	return pid < 0 ? -errno : pid;
}

int report_wait(pid_t pid)
{
	int status;

	if (pid <= 0)
		return 1;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
