/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looks names of programs up in /proc. */
#include "preload/monitor/tools/pid_list.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/common/run/process_id.h"

static void each_named(const char *name, void (*each)(pid_t pid, void *context), void *context)
{
	DIR *directory = opendir("/proc");
	char program[PROCESS_PROGRAM_BYTES];
	struct dirent *entry;
	int nr = 0;

	while (directory && (entry = readdir(directory))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid <= 0 || pid == getpid())
			continue;
		process_program((uint32_t)pid, program);
		if (strcmp(program, name))
			continue;
		each(pid, context);
		nr++;
	}
	if (directory)
		closedir(directory);
	if (!nr)
		fprintf(stderr, "insideme-run: --pid: no process of a program %s, or /proc hides it\n", name);
}

void pids_each(const char *list, void (*each)(pid_t pid, void *context), void *context)
{
	char *copy = strdup(list), *rest = copy, *word;

	if (!copy)
		abort();
	while ((word = strsep(&rest, ","))) {
		if (word[strspn(word, "0123456789")])
			each_named(word, each, context);
		else
			each((pid_t)strtol(word, NULL, 10), context);
	}
	free(copy);
}
