/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file of /proc that is opened once and read often. */
#pragma once

#include <stdint.h>

#include "preload/common/base/syscalls.h"
#include "preload/common/base/text.h"

/* Counts reads. A sampler inside the process subtracts them from the process's figures. */
struct read_count {
	uint64_t calls;
	uint64_t bytes;
};

/* Write "/proc/PID/fd/3" to @path, for @folder "/fd/" and @name "3". @root: what tests have before it. */
static inline void proc_entry_path(char *path, uint64_t bytes, const char *root, int pid,
				   const char *folder, const char *name)
{
	struct text text;

	text_init(&text, path, bytes);
	text_add(&text, root);
	text_add(&text, "/proc/");
	text_add_number(&text, (uint64_t)pid);
	text_add(&text, folder);
	text_add(&text, name);
}

/* Open "/proc/PID/name", or "/proc/name" for @pid 0. Return: descriptor, or -errno. */
static inline int proc_file_open(int pid, const char *name)
{
	char path[96];
	struct text text;

	text_init(&text, path, sizeof(path));
	text_add(&text, "/proc/");
	if (pid) {
		text_add_number(&text, (uint64_t)pid);
		text_add_char(&text, '/');
	}
	text_add(&text, name);
	return (int)sys_open(path, O_RDONLY | O_CLOEXEC, 0);
}

/* Open "/proc/PID/task/TID/name"; @task_fd is "/proc/PID/task". Return: descriptor, or -errno. */
static inline int proc_file_open_task(int task_fd, uint64_t tid, const char *name)
{
	char path[40];
	struct text text;

	text_init(&text, path, sizeof(path));
	text_add_number(&text, tid);
	text_add_char(&text, '/');
	text_add(&text, name);
	return (int)sys_openat(task_fd, path, O_RDONLY | O_CLOEXEC, 0);
}

/*
 * Read the file's text from @offset, and end it with 0. Return: its length, or -errno (-ESRCH: the
 * process is gone).
 */
static inline long proc_file_read(int fd, struct read_count *count, char *buffer, uint64_t bytes,
			       uint64_t offset)
{
	long length = fd < 0 ? fd : sys_pread(fd, buffer, bytes - 1, offset);

	buffer[length > 0 ? length : 0] = '\0';
	if (fd >= 0)
		count->calls++;
	if (length > 0)
		count->bytes += (uint64_t)length;
	return length;
}

/* The name of a descriptor: of "socket:[123]" the number says nothing to the user. */
static inline void proc_cut_number(char *name)
{
	const char *colon = text_find(name, ':');

	if (*name != '/' && colon && colon[1] == '[')
		name[colon - name] = '\0';
}

static inline void proc_file_close(int *fd)
{
	if (*fd >= 0)
		sys_close(*fd);
	*fd = -1;
}
