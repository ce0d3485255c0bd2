/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which runs are reported together. */
#include "analyzer/runs/choose_runs.h"

#include <glob.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/base/error.h"
#include "analyzer/runs/join_launches.h"

bool is_same_file(const char *a, const char *b)
{
	struct stat stat_a, stat_b;

	return stat(a, &stat_a) == 0 && stat(b, &stat_b) == 0 && stat_a.st_dev == stat_b.st_dev &&
	       stat_a.st_ino == stat_b.st_ino;
}

static bool is_chosen(const struct run *runs, size_t nr, const struct run *run)
{
	for (size_t i = 0; i < nr; i++) {
		if (is_same_file(runs[i].path, run->path))
			return true;
		for (size_t j = 0; j < runs[i].nr_logs && run->nr_logs == 1; j++)
			if (is_same_file(runs[i].logs[j], run->path))
				return true;
	}
	return false;
}

/* Whether the user named the log itself, not the directory that it is in. */
static bool is_log(const struct run *run)
{
	return run->nr_logs && strcmp(run->path, run->logs[0]) == 0;
}

static size_t directory_length(const struct run *run)
{
	const char *slash = strrchr(run->path, '/');

	return slash ? (size_t)(slash - run->path) + 1 : 0;
}

/* Add a log to a run that consists of logs in the same directory. Return: false if there is none */
static bool join_log(struct run *runs, size_t nr, struct run *log)
{
	size_t length = directory_length(log);

	for (size_t i = 0; i < nr && is_log(log); i++) {
		if (!is_log(&runs[i]) || directory_length(&runs[i]) != length ||
		    strncmp(runs[i].path, log->path, length) != 0)
			continue;
		APPEND(runs[i].logs, runs[i].nr_logs) = xstrdup(log->path);
		return true;
	}
	return false;
}

/* Return: false after an error() */
static bool add_run(struct run **runs, size_t *nr, const char *name)
{
	struct run run;

	if (run_choose(&run, name) < 0)
		return false;
	if (is_chosen(*runs, *nr, &run)) {
		warning("%s: named twice, added once", run.path);
		run_release(&run);
	} else if (join_log(*runs, *nr, &run)) {
		run_release(&run);
	} else {
		launch_join(&run);
		*runs = xgrow(*runs, *nr, sizeof(run));
		(*runs)[(*nr)++] = run;
	}
	return true;
}

long choose_runs(struct run **runs, char *const *names, const char *except)
{
	size_t nr = 0;
	bool done = true;

	*runs = NULL;
	do {
		glob_t found = { .gl_pathc = 0 };

		if (!*names || glob(*names, 0, NULL, &found) != 0)
			done = add_run(runs, &nr, *names);
		for (size_t i = 0; i < found.gl_pathc && done; i++)
			done = (strcmp(found.gl_pathv[i], *names) != 0 &&
				except && is_same_file(found.gl_pathv[i], except)) ||
			       add_run(runs, &nr, found.gl_pathv[i]);
		globfree(&found);
	} while (done && *names && *++names);
	if (!done) {
		choose_free(*runs, nr);
		*runs = NULL;
	}
	return done ? (long)nr : -1;
}

void choose_free(struct run *runs, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		run_release(&runs[i]);
	free(runs);
}
