/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is a log in the memory map of its process? */
#include "preload/monitor/watch/log_in_maps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload/common/run/process_id.h"

#define TASK_NAME_BYTES	15	/* longest name that the kernel keeps */

/* "START-END rw-s OFFSET ..." */
static bool holds(const char *line, uint64_t address)
{
	uint64_t start, end;
	char shared;

	return sscanf(line, "%" SCNx64 "-%" SCNx64 " %*3c%c", &start, &end, &shared) == 3 && shared == 's' &&
	       start <= address && address < end;
}

/*
 * A process that ends meanwhile has no memory any more, and its map ends early. The pid may have been given
 * to another process since, or be a number of another pid namespace.
 */
static bool lives_on(pid_t pid, uint64_t start_ticks)
{
	char path[32], pages[64];
	uint64_t start;
	uint32_t parent;

	proc_path(path, sizeof(path), (uint32_t)pid, "/statm");
	return read_file(path, pages, sizeof(pages)) > 0 && pages[0] != '0' &&
	       process_parent((uint32_t)pid, &parent, &start) == 0 && (!start_ticks || start == start_ticks);
}

/*
 * The map of a set-uid program may not be readable: compare its name. The kernel may still have the old one.
 */
static bool is_called_otherwise(pid_t pid, const struct log_header *log)
{
	char path[32], name[64];
	long length;

	proc_path(path, sizeof(path), (uint32_t)pid, "/comm");
	length = read_file(path, name, sizeof(name));
	if (length > 0 && name[length - 1] == '\n')
		name[--length] = '\0';
	return length > 0 && strncmp(name, log->program, TASK_NAME_BYTES) != 0;
}

bool image_is_another(pid_t pid, uint64_t start_ticks, const struct log_header *log)
{
	bool is_mapped = false, is_readable = false;
	size_t bytes = 0;
	char path[32], *line = NULL;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	maps = log->base_addr ? fopen(path, "re") : NULL;
	if (log->base_addr && !maps && errno == EACCES)
		return is_called_otherwise(pid, log) && lives_on(pid, start_ticks);
	while (maps && !is_mapped && getline(&line, &bytes, maps) > 0) {
		is_readable = true;
		is_mapped = holds(line, log->base_addr);
	}
	free(line);
	if (maps)
		fclose(maps);
	return is_readable && !is_mapped && lives_on(pid, start_ticks);
}
