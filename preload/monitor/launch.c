/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts the program. */
#include "preload/monitor/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static char *make_variable(const char *name, const char *value)
{
	char *variable;

	if (asprintf(&variable, "%s=%s", name, value) < 0)
		abort();
	return variable;
}

static char *make_preload(const char *library)
{
	const char *older = getenv("LD_PRELOAD");
	char *variable;

	if (!older || !*older)
		return make_variable("LD_PRELOAD", library);
	if (asprintf(&variable, "LD_PRELOAD=%s:%s", library, older) < 0)
		abort();
	return variable;
}

/* Replace an older "NAME=..." by @variable, or append it. */
static void set_variable(char **environment, size_t *count, char *variable)
{
	size_t length = strcspn(variable, "=") + 1;

	for (size_t i = 0; i < *count; i++) {
		if (!strncmp(environment[i], variable, length)) {
			environment[i] = variable;
			return;
		}
	}
	environment[(*count)++] = variable;
}

char **launch_environment(const struct options *options, const char *run, const char *library)
{
	size_t count = 0;
	char **environment;

	while (environ[count])
		count++;
	environment = calloc(count + NR_SETTINGS + 3, sizeof(*environment));
	if (!environment)
		abort();
	memcpy(environment, environ, count * sizeof(*environment));
	for (int id = 0; id < NR_SETTINGS; id++) {
		if (options->settings[id])
			set_variable(environment, &count,
				     make_variable(settings_table[id].name, options->settings[id]));
	}
	if (run)
		set_variable(environment, &count, make_variable(settings_table[SETTING_RUN].name, run));
	if (library)
		set_variable(environment, &count, make_preload(library));
	return environment;
}

static void run_child(char **command, char **environment, const sigset_t *mask, int report)
{
	int error;

	sigprocmask(SIG_SETMASK, mask, NULL);
	execvpe(command[0], command, environment);
	error = errno;
	if (write(report, &error, sizeof(error)) != sizeof(error))
		_exit(126);
	_exit(127);
}

/* A pipe that exec closes shows whether exec succeeded. */
pid_t launch(char **command, char **environment, const sigset_t *mask)
{
	int report[2], error;
	pid_t pid;

	if (pipe2(report, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();
	if (pid == 0)
		run_child(command, environment, mask, report[1]);
	error = pid < 0 ? errno : 0;
	close(report[1]);
	if (pid > 0 && read(report[0], &error, sizeof(error)) == sizeof(error))
		waitpid(pid, NULL, 0);
	close(report[0]);
	return error ? -error : pid;
}
