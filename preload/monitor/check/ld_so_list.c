/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asks ld.so which objects it would load: ld.so --list PROGRAM, with the library preloaded. */
#include "preload/monitor/check/ld_so_list.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void add(struct objects_of *objects, const char *path)
{
	struct object_of *object;
	struct elf_file elf;

	if (!elf_file_open(&elf, path))
		return;
	objects->list = realloc(objects->list, (size_t)(objects->nr + 1) * sizeof(*objects->list));
	if (!objects->list)
		abort();
	object = &objects->list[objects->nr++];
	object->elf = elf;
	snprintf(object->path, sizeof(object->path), "%s", path);
}

/* Take "NAME => /path (0x1234)", "/path (0x1234)", "NAME => not found", or a message of ld.so. */
static void take_line(struct objects_of *objects, char *line, const char *library)
{
	char *path = strstr(line, "=> "), *end;

	line[strcspn(line, "\n")] = '\0';
	if (line[0] != '\t' || strstr(line, "=> not found")) {
		line += line[0] == '\t';
		if (!objects->complaint[0])
			snprintf(objects->complaint, sizeof(objects->complaint), "%.250s", line);
		return;
	}
	path = path ? path + 3 : line + 1;
	end = strrchr(path, '(');
	if (end && end > path)
		end[-1] = '\0';
	if (library && !strcmp(path, library))
		objects->has_library = true;
	else if (path[0] == '/')
		add(objects, path);
}

static void run_ld_so(const char *ld_so, const char *program, const char *library, char **environment,
		      int out)
{
	const char *older = getenv("LD_PRELOAD");
	char *arguments[] = { (char *)ld_so, "--list", (char *)program, NULL }, *preload, **with;
	size_t nr = 0;

	if (asprintf(&preload, "LD_PRELOAD=%s%s%s", library ? library : "", older ? ":" : "",
		     older ? older : "") < 0)
		_exit(1);
	while (environment[nr])
		nr++;
	with = calloc(nr + 2, sizeof(*with));
	if (!with)
		_exit(1);
	with[0] = preload;
	for (size_t i = 0, to = 1; i < nr; i++) {
		if (strncmp(environment[i], "LD_PRELOAD=", 11) != 0)
			with[to++] = environment[i];
	}
	dup2(out, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	execve(ld_so, arguments, with);
	_exit(1);
}

void objects_of(struct objects_of *objects, const char *program, const char *ld_so, const char *library,
		char **environment)
{
	char line[PATH_MAX + 64];
	int ends[2];
	FILE *lines;
	pid_t pid;

	memset(objects, 0, sizeof(*objects));
	add(objects, program);
	if (pipe2(ends, O_CLOEXEC) < 0)
		return;
	pid = fork();
	if (pid == 0)
		run_ld_so(ld_so, program, library, environment, ends[1]);
	close(ends[1]);
	lines = fdopen(ends[0], "r");
	while (lines && fgets(line, sizeof(line), lines))
		take_line(objects, line, library);
	if (lines)
		fclose(lines);
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

void objects_release(struct objects_of *objects)
{
	for (int i = 0; i < objects->nr; i++)
		elf_file_close(&objects->list[i].elf);
	free(objects->list);
}
