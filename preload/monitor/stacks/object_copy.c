/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "preload/monitor/stacks/object_copy.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define COPY_BYTES_MOST (1ll << 30)

static bool is_it(const struct stat *stat_of, const struct target_object *object)
{
	return S_ISREG(stat_of->st_mode) && stat_of->st_ino == object->inode;
}

/* Return: -1 if @path is not the object's file, or may not be opened. */
static int open_it(const char *path, const struct target_object *object)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat stat_of;

	if (fd >= 0 && fstat(fd, &stat_of) == 0 && is_it(&stat_of, object))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Opening a mapping's file needs more rights than the program's, which is opened without its path. */
static int open_object(const struct target *target, const struct target_object *object)
{
	char path[PATH_MAX + 32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)target->pid,
		 object->begin, object->first_end);
	fd = open_it(path, object);
	if (fd < 0) {
		snprintf(path, sizeof(path), "/proc/%d/exe", (int)target->pid);
		fd = open_it(path, object);
	}
	if (fd < 0) {
		snprintf(path, sizeof(path), "/proc/%d/root%s", (int)target->pid, object->path);
		fd = open_it(path, object);
	}
	return fd;
}

static bool copy_whole(int from, int to)
{
	struct stat stat_of;
	off_t at = 0;

	if (to < 0 || fstat(from, &stat_of) < 0 || stat_of.st_size > COPY_BYTES_MOST)
		return false;
	while (at < stat_of.st_size)
		if (sendfile(to, from, &at, (size_t)(stat_of.st_size - at)) <= 0)
			return false;
	return true;
}

/* A copy gets its name when it is whole. */
static void keep_as(int from, const char *path)
{
	char unfinished[PATH_MAX + 16];
	int to;

	snprintf(unfinished, sizeof(unfinished), "%s.%d", path, (int)getpid());
	to = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (!copy_whole(from, to) || rename(unfinished, path) < 0)
		unlink(unfinished);
	if (to >= 0)
		close(to);
}

void object_keep(const struct target *target, const struct target_object *object, const char *directory)
{
	struct stat stat_of;
	char path[PATH_MAX];
	int length, from;

	if (!object->build_id_bytes || !object->inode ||
	    (stat(object->path, &stat_of) == 0 && is_it(&stat_of, object)))
		return;
	length = snprintf(path, sizeof(path), "%s/object-", directory);
	for (uint32_t i = 0; i < object->build_id_bytes && length < PATH_MAX - 3; i++)
		length += snprintf(path + length, 3, "%02x", object->build_id[i]);
	if (length >= PATH_MAX - 3 || access(path, F_OK) == 0)
		return;
	from = open_object(target, object);
	if (from < 0)
		return;
	keep_as(from, path);
	close(from);
}
