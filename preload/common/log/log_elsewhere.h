/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Logs that live away from their run: where its file system cannot hold a mapping that grows. The run's file then
 * is one line that says where. No libc; used by the library and by insideme-run.
 */
#ifndef INSIDEME_LOG_ELSEWHERE_H
#define INSIDEME_LOG_ELSEWHERE_H

#include <stdbool.h>

#define AWAY_PATH_BYTES	64	/* of a live log */

/* Is @fd on a file system whose mappings other hosts or a daemon stand behind? They may stall, or not be shared. */
bool elsewhere_is_remote(int fd);

/* Does @error of an attempt to grow or map mean that the file system cannot do so at all? */
bool elsewhere_is_wanted(long error);

/*
 * A new, empty file for a live log in the @number-th place there is for them; its path goes to
 * @path (AWAY_PATH_BYTES).
 * Return: descriptor (O_RDWR, O_CLOEXEC), -ENOENT past the last place, or -errno.
 */
long elsewhere_create(unsigned number, char *path);

/* Write into the run's file @home_fd that the log lives at @path. Return: 0, or -errno. */
int elsewhere_point(int home_fd, const char *path);

/* Open a log of a run (@flags: O_RDONLY or O_RDWR) where it lives. Return: descriptor, or -errno. */
long elsewhere_open(const char *home, int flags);

/*
 * The log at @home is over: if it lives away, put it in the place of the line that says so. Return: 0, also when there
 * was nothing to do, or -errno: it stays where it is.
 */
int elsewhere_bring_home(const char *home);

#endif
