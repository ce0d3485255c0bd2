/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads /proc/PID/stat of processes that run or have just ended, and finds processes by name. */
#include "preload/monitor/tools/process_info.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "insideme_log.h"
#include "preload/common/base/proc_text.h"
#include "preload/common/resources/proc_file.h"
#include "preload/common/run/process_id.h"

/*
 * The exit code is the last field. A reader without permission gets 0, which could be an exit
 * status. The kernel checks the same permission for the link to the program. A zombie that may be
 * read has no such link.
 */
static uint64_t read_status(pid_t pid, const char *text)
{
	const char *last = strrchr(text, ' ');
	char path[32], program;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	if (!last || (readlink(path, &program, 1) < 0 && errno == EACCES))
		return LOG_NONE;
	return strtoull(last, NULL, 10);
}

/* Field 2 is in parentheses, and may contain parentheses. */
static void read_name(struct last_words *words, const char *text)
{
	const char *begin = strchr(text, '('), *end = strrchr(text, ')');

	if (begin && end && end - begin - 1 < (long)sizeof(words->name))
		memcpy(words->name, begin + 1, (size_t)(end - begin - 1));
}

bool last_words_read(struct last_words *words, pid_t pid)
{
	struct read_count count = { 0, 0 };
	struct proc_stat stat;
	char text[1024];
	int fd = proc_file_open(pid, "stat");
	bool found =
		proc_file_read(fd, &count, text, sizeof(text), 0) > 0 && proc_parse_stat(text, &stat) == 0;

	*words = (struct last_words){ .start_ticks = LOG_NONE, .user_ns = LOG_NONE, .system_ns = LOG_NONE,
				      .status = LOG_NONE };
	if (found) {
		words->start_ticks = stat.start_ticks;
		words->user_ns = stat.user_ns;
		words->system_ns = stat.system_ns;
		words->parent = (pid_t)stat.parent_pid;
		words->is_over = stat.state == 'Z' || stat.state == 'X';
		words->had_children = stat.child_faults > 0;
		if (words->is_over)
			words->status = read_status(pid, text);
		read_name(words, text);
	}
	proc_file_close(&fd);
	return found;
}

/*
 * The first form of struct pidfd_info of linux/pidfd.h, which the headers that we build with may
 * not have.
 */
struct info {
	uint64_t mask;
	uint64_t cgroup;
	uint32_t ids[11];
	int32_t exit_code;
};
_Static_assert(sizeof(struct info) == 64, "the first form of struct pidfd_info");

#define INFO_EXIT	8u
#define GET_INFO	_IOWR(0xff, 11, struct info)

int pidfd_of(pid_t pid)
{
	long fd = syscall(SYS_pidfd_open, pid, 0);

	return fd < 0 ? -errno : (int)fd;
}

int pidfd_status(int fd, int *status)
{
	struct info info = { .mask = INFO_EXIT };

	if (ioctl(fd, GET_INFO, &info) < 0 || !(info.mask & INFO_EXIT))
		return -ENODATA;
	*status = info.exit_code;
	return 0;
}

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

/*
 * "NSpid:\t4711\t12\n": the number in the namespace of /proc comes first, the one in the process's
 * own namespace last.
 */
static uint32_t last_number(const char *process)
{
	char path[48], line[256];
	uint32_t pid = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/status", process);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, "NSpid:", 6))
			pid = (uint32_t)strtoul(strrchr(line, '\t') ? strrchr(line, '\t') : line + 6, NULL,
						10);
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
