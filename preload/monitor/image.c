/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looking for a log in the memory map of its process. */
#include "monitor/image.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* "START-END rw-s OFFSET ..." */
static bool holds(const char *line, uint64_t address)
{
	uint64_t start, end;
	char shared;

	return sscanf(line, "%" SCNx64 "-%" SCNx64 " %*3c%c", &start, &end, &shared) == 3 && shared == 's' &&
	       start <= address && address < end;
}

bool image_is_another(pid_t pid, const struct log_header *log)
{
	bool is_mapped = false, is_readable = false;
	size_t bytes = 0;
	char path[32], *line = NULL;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	maps = log->base_addr ? fopen(path, "re") : NULL;
	while (maps && !is_mapped && getline(&line, &bytes, maps) > 0) {
		is_readable = true;
		is_mapped = holds(line, log->base_addr);
	}
	free(line);
	if (maps)
		fclose(maps);
	return is_readable && !is_mapped;
}
