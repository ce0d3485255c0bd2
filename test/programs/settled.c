/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ends when the library's sampling task has begun to sample: then the task has its name, and everything that
 * it sets up before it gets the name. Returns 0, or 3 if there is no such task within a minute. A report
 * shows one call of main, and 1 or more of has_task.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int has_task(void)
{
	DIR *tasks = opendir("/proc/self/task");
	char path[300], name[16];
	int found = 0;

	for (struct dirent *entry; tasks && (entry = readdir(tasks));) {
		FILE *file;

		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", entry->d_name);
		file = fopen(path, "r");
		if (!file)
			continue;
		found |= fgets(name, sizeof(name), file) && strcmp(name, "insideme\n") == 0;
		fclose(file);
	}
	if (tasks)
		closedir(tasks);
	return found;
}

int main(void)
{
	if (!getenv("LD_PRELOAD"))
		return 0;
	for (int i = 0; i < 6000; i++) {
		if (has_task())
			return 0;
		usleep(10000);
	}
	return 3;
}
