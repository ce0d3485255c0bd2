/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A file that appears only when it is complete. Until then it is written under another name, and the
 * old file stays. The new file keeps the permissions of the old one; a write-protected file is not
 * replaced.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct whole_file {
	FILE *out;
	const char *path;
	char *unfinished;	/* NULL: @path is a device, a pipe or a link, and is written directly */
};

/* Return: 0 or -errno. @path must stay valid. */
int whole_file_open(struct whole_file *file, const char *path);

/* Compress all later writes by zlib. Return: 0 or -errno */
int whole_file_compress(struct whole_file *file);

/*
 * Compress what a library has written to the file @unfinished, which must not be NULL, and all later writes.
 * Return: 0 or -errno
 */
int whole_file_compress_written(struct whole_file *file);

/* @whole: the caller wrote everything. Return: 0; -errno if @path is unchanged */
int whole_file_close(struct whole_file *file, bool whole);
