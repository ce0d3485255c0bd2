/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Logs that are kept outside of their run's directory, because its file system cannot hold a
 * mapping that grows. The run's file is then one line with the log's path. No libc; the library and
 * insideme-run use it.
 */
#pragma once

#include <stdbool.h>

#define ELSEWHERE_PATH_BYTES	64	/* of a log that is being written */

/*
 * Is @fd on a file system that is served by another host or by a daemon? Mappings of it may stall,
 * or not be shared.
 */
bool elsewhere_is_remote(int fd);

/* Does @error, of an attempt to grow or map, mean that the file system cannot do it at all? */
bool elsewhere_is_wanted(long error);

/*
 * Make a new, empty file for a log, in the @number-th of the possible places. Its path goes to
 * @path (ELSEWHERE_PATH_BYTES). Return: descriptor (O_RDWR, O_CLOEXEC), -ENOENT past the last place, or
 * -errno.
 */
long elsewhere_create(unsigned number, char *path);

/* Write into the run's file @home_fd that the log is at @path. Return: 0, or -errno. */
int elsewhere_point(int home_fd, const char *path);

/* Open a log of a run (@flags: O_RDONLY or O_RDWR), wherever it is. Return: descriptor, or -errno. */
long elsewhere_open(const char *home, int flags);

/*
 * The log at @home is over: if it is elsewhere, move it to @home, in place of the line with its
 * path. Return: 0, also when there was nothing to do, or -errno, and the log stays where it is.
 */
int elsewhere_bring_home(const char *home);
