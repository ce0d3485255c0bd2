/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a process of /proc is called in our pid namespace: the last of its numbers, if that is its own. */
#include "preload/monitor/tools/pid_here.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAMESPACE_BYTES 64	/* "pid:[4026531836]" */

static bool read_namespace(const char *process, char *name)
{
	char path[48];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%s/ns/pid", process);
	length = readlink(path, name, NAMESPACE_BYTES - 1);
	name[length > 0 ? length : 0] = '\0';
	return length > 0;
}

/* "NSpid:\t4711\t12\n": in the namespace of /proc first, in its own last. */
static uint32_t last_number(const char *process)
{
	char path[48], line[256];
	uint32_t pid = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/status", process);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, "NSpid:", 6))
			pid = (uint32_t)strtoul(strrchr(line, '\t') ? strrchr(line, '\t') : line + 6, NULL, 10);
	if (file)
		fclose(file);
	return pid;
}

uint32_t pid_here(uint32_t pid)
{
	char process[16], its[NAMESPACE_BYTES], ours[NAMESPACE_BYTES];
	uint32_t here;

	snprintf(process, sizeof(process), "%u", (unsigned)pid);
	if (!read_namespace(process, its) || !read_namespace("self", ours) || strcmp(its, ours))
		return pid;
	here = last_number(process);
	return here ? here : pid;
}
