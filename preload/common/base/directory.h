/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The names in a directory, without libc. Names that begin with a point are left out. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DIRECTORY_BUFFER_BYTES 8192

struct directory {
	int fd;
	long at;
	long length;	/* of the entries in the buffer; 0 at the end; -errno after an error */
	char *buffer;
	size_t bytes;
};

/* Open @path. The caller keeps @buffer, aligned to 8 bytes, until the end. Return: 0, or -errno. */
int directory_open(struct directory *directory, const char *path, char *buffer, size_t bytes);
/* The same for the open directory @fd, from its first entry on. The caller closes @fd. */
void directory_begin(struct directory *directory, int fd, char *buffer, size_t bytes);
/* The next name. It is valid until the next call. NULL: there are no more. */
const char *directory_next(struct directory *directory);
/* The next name that is a number. Return: false when there are no more. */
bool directory_next_number(struct directory *directory, uint64_t *number);
void directory_close(struct directory *directory);
