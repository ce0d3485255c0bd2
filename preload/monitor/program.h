/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program to run: where it is, and whether ld.so will load a library into it. */
#ifndef INSIDEME_MONITOR_PROGRAM_H
#define INSIDEME_MONITOR_PROGRAM_H

#include <stddef.h>

/*
 * The file that execvp() would run. Return: 0, or -ENOENT, or -EACCES (there is one, but it cannot be run).
 */
int program_find(const char *name, char *path, size_t bytes);

/*
 * Why ld.so will not load a preloaded library of our kind into @path, as the end of a sentence, or NULL.
 * A script is judged by its interpreter.
 */
const char *program_refuses_library(const char *path);

#endif
