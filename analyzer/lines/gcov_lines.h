/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts of source lines from coverage counters, by gcov and the notes (.gcno) that the compiler wrote
 * beside each object file.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct gcov_function {
	uint32_t ident, lineno_checksum, cfg_checksum;
	uint32_t nr_counters;
};

/* The counts of one source file, as the compiler's coverage counters have them. */
struct gcov_unit {
	const char *path; /* where gcov would have its counters: FILE.gcda */
	uint32_t format, stamp, checksum;
	const struct gcov_function *functions;
	size_t nr_functions;
	const uint64_t *counters; /* of all its functions */
};

/* A line of a function. Texts are valid during the call. */
struct gcov_line {
	size_t unit;
	const char *function; /* the linker's name; NULL: it was inlined before it was counted */
	const char *file;
	uint32_t function_line; /* where it begins in that file */
	uint32_t number;
	uint64_t count;
};

/* The version of gcc that writes this format: 12. */
unsigned int gcov_compiler(uint32_t format);

/*
 * Call @each for each line of the @nr units that code was made of; a line of a header comes once for each
 * unit.
 * Return: NULL; or why lines of some units, or of all, are not known, newly allocated
 */
char *gcov_lines_read(const struct gcov_unit *units, size_t nr,
		      void (*each)(const struct gcov_line *line, void *context), void *context);
