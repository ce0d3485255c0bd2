/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sections of a 64-bit ELF file. A file that is none, or is damaged, has no sections. */
#pragma once

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>

struct elf_file {
	const char *map;	/* NULL: not open */
	size_t bytes;
};

/* Return: whether it is a 64-bit ELF file. Only then the caller must close it. */
bool elf_file_open(struct elf_file *file, const char *path);
void elf_file_close(struct elf_file *file);

bool elf_file_has_section(const struct elf_file *file, const char *name);

/* How a symbol appears in the file's tables. */
enum elf_symbol { ELF_SYMBOL_NONE, ELF_SYMBOL_USED, ELF_SYMBOL_DEFINED };
enum elf_symbol elf_file_symbol(const struct elf_file *file, const char *name);

/*
 * The build-id as "ab/cdef...", the form of the names below /usr/lib/debug/.build-id. Return:
 * whether there is one.
 */
bool elf_file_build_id(const struct elf_file *file, char *text, size_t bytes);
