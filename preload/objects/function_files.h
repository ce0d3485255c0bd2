/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The source files of functions, read from the section .debug_line: DWARF 2 to 5, not compressed. Damage ends
 * the reading of a unit. No libc.
 */
#pragma once

#include "preload/objects/sorted_numbers.h"

/* A section of an ELF file, with a 0 behind it. */
struct chunk {
	char *start;			/* NULL: nothing was read */
	uint64_t bytes;
};

/* Texts lie in the chunks, which must stay. */
struct function_files {
	struct sorted_numbers
		places; /* address << FILE_BITS | number of the file that begins there; 0: none */
	struct sorted_numbers
		texts; /* three addresses of each file: of its unit's folder, its folder, its name */
};

/* @strings: .debug_line_str; @others: .debug_str */
void function_files_read(struct function_files *files, const struct chunk *lines, const struct chunk *strings,
			 const struct chunk *others);
/* The path of the file with the code at @addr, in @path; NULL: not known. */
const char *function_file(const struct function_files *files, uint64_t addr, char *path, uint64_t bytes);
void function_files_release(struct function_files *files);
