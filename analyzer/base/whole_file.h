/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file that is there once it is whole: until then it has another name, and what was there before stays.
 * It is as private as that was; what may not be written is not replaced. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct whole_file {
	FILE *out;
	const char *path;
	char *unfinished;	/* NULL: PATH is a device, a pipe or a link, and written as it is */
};

/* Return: 0 or -errno. PATH is kept. */
int whole_file_open(struct whole_file *file, const char *path);

/* WHOLE: what the caller wrote is all there. Return: 0, or -errno where PATH is as it was before. */
int whole_file_close(struct whole_file *file, bool whole);
