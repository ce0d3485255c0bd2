/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program to run: where it is, and whether ld.so will load a library into it. */
#ifndef INSIDEME_PROGRAM_KIND_H
#define INSIDEME_PROGRAM_KIND_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The file that execvp() would run. Return: 0, or -ENOENT, or -EACCES (there is one, but it cannot be run).
 */
int program_find(const char *name, char *path, size_t bytes);

/* Why ld.so does not load a preloaded library of our kind into a program, and what to do about it. */
struct refusal {
	const char *reason;	/* "it is linked statically" */
	const char *advice;	/* "link it dynamically" */
};

/* NULL: nothing known stands against it. A script is judged by its interpreter. */
const struct refusal *program_refusal(const char *path);

/*
 * The ELF file that runs @path: itself, or a script's interpreter. Return: the number of scripts in between, or -1
 * when it is neither. @file has PATH_MAX bytes.
 */
int program_executable(const char *path, char *file);

/* What @file names as its ld.so. Return: whether it names one. */
bool program_ld_so(const char *file, char *ld_so, size_t bytes);

#endif
