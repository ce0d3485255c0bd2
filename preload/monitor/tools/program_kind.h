/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program to run: where it is, and whether ld.so will load a library into it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Find the file that execvp() would run. Return: 0, -ENOENT, or -EACCES (the file exists, but
 * cannot be run).
 */
int program_find(const char *name, char *path, size_t bytes);

/* Why ld.so does not load a preloaded library of our kind into a program, and what to do about it. */
struct refusal {
	const char *reason;	/* "it is linked statically" */
	const char *advice;	/* "link it dynamically" */
};

/* Return: NULL when nothing is known that prevents it. A script is judged by its interpreter. */
const struct refusal *program_refusal(const char *path);

/*
 * Find the ELF file that runs @path: itself, or a script's interpreter. @file has PATH_MAX bytes.
 * Return: the number of scripts in between, or -1 when @path is neither.
 */
int program_executable(const char *path, char *file);

/* Was the ELF file @path compiled with hooks? Those of its libraries are not looked for. */
bool program_has_hooks(const char *path);

/* Does the ELF file @path call MPI, or is it by its name a launcher of MPI's ranks? */
bool program_uses_mpi(const char *path);

/* Read the ld.so that @file names. Return: whether it names one. */
bool program_ld_so(const char *file, char *ld_so, size_t bytes);
