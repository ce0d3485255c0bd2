/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From an address in an object file to a function's name and source line. symbols.c and symbols_hooks.c alone know elfutils.
 * Debug files are fetched from servers where the user has set DEBUGINFOD_URLS.
 */
#ifndef INSIDEME_SYMBOLS_H
#define INSIDEME_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the log says about an object. The file must agree, or its names would be made up. */
struct symbols_file {
	const char *path;
	const uint8_t *build_id;
	size_t build_id_bytes;		/* 0: it had none; then size and time decide */
	uint64_t file_bytes;
	uint64_t file_mtime_ns;
};

enum symbols_state {
	SYMBOLS_GOOD,
	SYMBOLS_NO_FILE,		/* it is not there any more, or never was (vdso) */
	SYMBOLS_OTHER_FILE,		/* another file is at its path now */
	SYMBOLS_UNREADABLE,		/* no object file, or no permission */
};

/* A function. Names are the module's and live until symbols_close(). */
struct symbol {
	uint64_t addr;			/* in the file: address in the process less the module's bias */
	const char *name;		/* demangled, with parameters; NULL: unknown */
	const char *file;		/* after symbols_locate(): path of the source, NULL: unknown */
	unsigned int line;		/* of its declaration */
	const char *link_name;		/* as the linker has it; NULL: unknown */
	bool imported;			/* addr is a stub in .plt; the function is in another module */
};

struct symbols;

/* Open an object. Return: NULL unless *@state is SYMBOLS_GOOD */
struct symbols *symbols_open(const struct symbols_file *file, enum symbols_state *state);
void symbols_close(struct symbols *symbols);

/* Fill in name, link_name and imported of @nr symbols, which are sorted by addr, in one pass over the symbol table. */
void symbols_name(struct symbols *symbols, struct symbol *list, size_t nr);

/* Address of the global function @link_name; false if the object has none. */
bool symbols_find(struct symbols *symbols, const char *link_name, uint64_t *addr);

/* Fill in file and line; reads the debug information of the compilation unit at the first call for it. */
void symbols_locate(struct symbols *symbols, struct symbol *symbol);

/* The source file and *@line of the code at @addr; NULL: not known. The text lives until symbols_close(). */
const char *symbols_line(struct symbols *symbols, uint64_t addr, unsigned int *line);

/* A word about why names are missing: "is gone", ... */
const char *symbols_state_text(enum symbols_state state);

#endif
