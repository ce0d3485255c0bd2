/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the entries of directories. */
#include "preload/common/base/directory.h"

#include <dirent.h>
#include <unistd.h>

#include "preload/common/base/syscalls.h"
#include "preload/common/base/text.h"

void directory_begin(struct directory *directory, int fd, char *buffer, size_t bytes)
{
	*directory = (struct directory){ .fd = fd, .buffer = buffer, .bytes = bytes };
	raw_syscall(SYS_lseek, fd, 0, SEEK_SET, 0, 0, 0);
}

int directory_open(struct directory *directory, const char *path, char *buffer, size_t bytes)
{
	long fd = sys_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);

	*directory = (struct directory){ .fd = (int)fd, .buffer = buffer, .bytes = bytes };
	return fd < 0 ? (int)fd : 0;
}

const char *directory_next(struct directory *directory)
{
	for (;;) {
		const struct dirent64 *entry;

		if (directory->at >= directory->length) {
			directory->length = sys_getdents(directory->fd, directory->buffer, directory->bytes);
			directory->at = 0;
			if (directory->length <= 0)
				return NULL;
		}
		entry = (const struct dirent64 *)(directory->buffer + directory->at);
		directory->at += entry->d_reclen;
		if (entry->d_name[0] != '.')
			return entry->d_name;
	}
}

bool directory_next_number(struct directory *directory, uint64_t *number)
{
	const char *name;

	while ((name = directory_next(directory)))
		if (text_read_u64(&name, number) == 0)
			return true;
	return false;
}

void directory_close(struct directory *directory)
{
	sys_close(directory->fd);
}
