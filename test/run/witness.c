/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Preloaded beside the recorder, and without it: when a process ends by exit or _exit, a line with its number of
 * threads goes to the file "threads" of the folder WITNESS, one with its open descriptors to "descriptors". What
 * has a number of its own (pipe:[17]) is written without.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *path;	/* set before main */

__attribute__((constructor)) static void begin(void)
{
	path = getenv("WITNESS");
}

static int count_tasks(void)
{
	char text[1024] = "";
	int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC), tasks = 0;
	char *end;

	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof(text) - 1) > 0 && (end = strrchr(text, ')')))
		sscanf(end + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %d", &tasks);
	close(fd);
	return tasks;
}

/* Small numbers by readlink, so that no descriptor is open while they are listed. */
static size_t list_descriptors(char *line, size_t size)
{
	size_t used = 0;

	for (int fd = 0; fd < 1024 && used < size; fd++) {
		char link[32], target[200];
		ssize_t length;

		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		length = readlink(link, target, sizeof(target) - 1);
		if (length < 0)
			continue;
		target[length] = '\0';
		target[strcspn(target, "[")] = '\0';
		used += (size_t)snprintf(line + used, size - used, " %d=%s", fd, target);
	}
	return used < size ? used : size - 1;
}

static void write_line(const char *name, const char *line, size_t length)
{
	char file[1200];
	int fd;

	snprintf(file, sizeof(file), "%s/%s", path, name);
	fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (fd >= 0 && write(fd, line, length) < 0)
		perror("witness");
	close(fd);
}

static void testify(void)
{
	static char line[16384];
	size_t used;

	if (!path)
		return;
	used = (size_t)snprintf(line, sizeof(line), "%s: %d\n", program_invocation_short_name, count_tasks());
	write_line("threads", line, used);
	used = (size_t)snprintf(line, sizeof(line), "%s:", program_invocation_short_name);
	used += list_descriptors(line + used, sizeof(line) - used - 1);
	line[used++] = '\n';
	write_line("descriptors", line, used);
}

__attribute__((destructor)) static void end(void)
{
	testify();
}

void _exit(int status)
{
	testify();
	for (;;)
		syscall(SYS_exit_group, status);
}
