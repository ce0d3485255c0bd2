/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Logs that live outside of their run. Only a log of ours, in a place for live logs, is ever moved. */
#include "analyzer/log/log_elsewhere.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/error.h"
#include "insideme_log.h"

#define LINE_BYTES	128

/* Read the path in the run's file @fd. Return: false if the file itself is the log */
static bool read_pointer(int fd, char *path)
{
	const size_t begin = sizeof(LOG_POINTER) - 1;
	char line[LINE_BYTES];
	ssize_t length = pread(fd, line, sizeof(line) - 1, 0);

	line[length > 0 ? length : 0] = '\0';
	if (strncmp(line, LOG_POINTER, begin) || line[length - 1] != '\n')
		return false;
	line[length - 1] = '\0';
	strcpy(path, line + begin);
	return true;
}

int pointer_open(const char *path)
{
	int fd = -1;

	/* another program may bring it home meanwhile */
	for (int attempt = 0; attempt < 2 && fd < 0; attempt++) {
		char live[LINE_BYTES];

		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (fd < 0 || !read_pointer(fd, live))
			break;
		close(fd);
		fd = open(live, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	}
	return fd;
}

/* The program is gone, so the log claims no more areas: everything behind the last one is unused room. */
static bool copy_log(int from, int to)
{
	struct log_header head;
	struct stat stat_of;
	uint64_t left;

	if (fstat(from, &stat_of) < 0 || !S_ISREG(stat_of.st_mode) || stat_of.st_uid != geteuid() ||
	    pread(from, &head, sizeof(head), 0) != (ssize_t)sizeof(head) || head.magic != LOG_MAGIC ||
	    head.tail_bytes > (uint64_t)stat_of.st_size)
		return false;
	for (left = head.tail_bytes; left;) {
		ssize_t done = sendfile(to, from, NULL, left);

		if (done <= 0)
			return false;
		left -= (uint64_t)done;
	}
	return true;
}

void pointer_bring_home(const char *path)
{
	char live[LINE_BYTES] = "", *copy;
	const char *name = strrchr(path, '/');
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), from, to;
	bool done;

	if (fd < 0)
		return;
	done = !read_pointer(fd, live);
	close(fd);
	if (done || (strncmp(live, "/dev/shm/insideme-", 18) && strncmp(live, "/tmp/insideme-", 14)))
		return;
	name = name ? name + 1 : path;
	copy = xasprintf("%.*s.%s.%d", (int)(name - path), path, name, (int)getpid());
	from = open(live, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	to = from < 0 ? -1 : open(copy, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (to >= 0) {
		done = copy_log(from, to);
		done = close(to) == 0 && done && rename(copy, path) == 0;
		unlink(done ? live : copy);
	}
	if (from >= 0)
		close(from);
	free(copy);
}
