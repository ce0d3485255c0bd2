/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that zlib compresses, as streams. */
#pragma once

#include <stdio.h>

/* Open @path for reading, compressed or not. Return: NULL with errno */
FILE *gzip_file_read(const char *path);
/*
 * A stream that writes to @file compressed. Close it before @file; closing it reports errors of writing.
 * Return: NULL with errno
 */
FILE *gzip_file_write(FILE *file);
