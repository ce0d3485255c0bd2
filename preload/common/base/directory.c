/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading directories. */
#include "preload/common/base/directory.h"

#include "preload/common/base/syscalls.h"

struct directory_entry {
	uint64_t inode;
	int64_t offset;
	uint16_t length;
	uint8_t type;
	char name[];
};

int directory_open(struct directory *directory, const char *path)
{
	long fd = sys_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);

	directory->fd = (int)fd;
	directory->at = directory->length = 0;
	return fd < 0 ? (int)fd : 0;
}

const char *directory_next(struct directory *directory)
{
	for (;;) {
		const struct directory_entry *entry;

		if (directory->at >= directory->length) {
			directory->length = sys_getdents(directory->fd, directory->buffer, sizeof(directory->buffer));
			directory->at = 0;
			if (directory->length <= 0)
				return NULL;
		}
		entry = (const struct directory_entry *)(directory->buffer + directory->at);
		directory->at += entry->length;
		if (entry->name[0] != '.')
			return entry->name;
	}
}

void directory_close(struct directory *directory)
{
	sys_close(directory->fd);
}
