/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The names in a directory, without libc. */
#ifndef INSIDEME_DIRECTORY_H
#define INSIDEME_DIRECTORY_H

struct directory {
	int fd;
	long at;
	long length;
	char buffer[8192];
};

/* Return: 0, or -errno. */
int directory_open(struct directory *directory, const char *path);
/* The next name that does not begin with a point, valid until the next call; NULL: no more. */
const char *directory_next(struct directory *directory);
void directory_close(struct directory *directory);

#endif
