/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From an address in an object file to the name and source line of a function. This
 * room alone knows elfutils. Debug files are fetched from servers if the user has set
 * DEBUGINFOD_URLS.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * An object as the log describes it. If the file at its path does not match, it is not read: its names
 * would be wrong.
 */
struct symbols_file {
	const char *path;
	const uint8_t *build_id;
	size_t build_id_bytes;		/* 0: it had none; size and time decide instead */
	uint64_t file_bytes;
	uint64_t file_mtime_ns;
};

enum symbols_state {
	SYMBOLS_GOOD,
	SYMBOLS_NO_FILE,		/* removed, or never there (vdso) */
	SYMBOLS_OTHER_FILE,		/* another file is at its path now */
	SYMBOLS_UNREADABLE,		/* no object file, or no permission */
};

/* A function. The module owns the names, until symbols_close(). */
struct symbol {
	uint64_t addr;			/* in the file: the address in the process less the module's bias */
	const char *name;		/* demangled, with parameters; NULL: not known */
	const char *file;		/* set by symbols_locate(): path of the source; NULL: not known */
	unsigned int line;		/* of its declaration */
	const char *link_name;		/* the linker's name; NULL: not known */
	bool imported;			/* addr is a stub in .plt; the function is in another module */
};

struct symbols;

/* Open an object. Return: NULL unless *@state is SYMBOLS_GOOD */
struct symbols *symbols_open(const struct symbols_file *file, enum symbols_state *state);
void symbols_close(struct symbols *symbols);

/* Set name, link_name and imported of @nr symbols, sorted by addr, in one pass over the symbol table. */
void symbols_name(struct symbols *symbols, struct symbol *list, size_t nr);

/* The address of the global function @link_name. Return: false if the object has none */
bool symbols_find(struct symbols *symbols, const char *link_name, uint64_t *addr);

/*
 * The address of a function or, if there is only that, of a clone of it, by the linker's name and by where
 * debug information has it: at @line of a file whose last name is that of @file. 0: there is none
 */
uint64_t symbols_find_at(struct symbols *symbols, const char *link_name, const char *file, unsigned int line);

/*
 * The linker's name of the last function that a file called like @file defines at @line or before it, with or
 * without code of its own, and where: *@begin. NULL: there is none
 */
const char *symbols_function_before(struct symbols *symbols, const char *file, unsigned int line,
				    unsigned int *begin);

/*
 * Does code of the object have coverage counters that threads change without a lock? By the compiler's note
 * of its options. False where nothing is known.
 */
bool symbols_has_unlocked_counters(struct symbols *symbols);

/* Set file and line. The first call for a compilation unit reads its debug information. */
void symbols_locate(struct symbols *symbols, struct symbol *symbol);

/*
 * The source file and *@line of the code at @addr; NULL: not known. The text is valid until
 * symbols_close().
 */
const char *symbols_line(struct symbols *symbols, uint64_t addr, unsigned int *line);

/*
 * The same, but for inlined code of an installed header: there it is the innermost inlined call that is the
 * program's own, if there is one.
 */
const char *symbols_own_line(struct symbols *symbols, uint64_t addr, unsigned int *line);

/* Is the function that begins at @addr one that the caller asks about? */
typedef bool symbols_wanted(uint64_t addr, void *context);

/* A function whose code is at an address, and where in its source that is. */
struct symbol_code {
	uint64_t addr;			/* of its copy that can be called; 0: it has none, or none is known */
	const char *name;		/* as symbol's; of [0]: NULL */
	const char *file;		/* its declaration's; of [0]: NULL, like the line: 0 */
	unsigned int line;
	const char *code_file;		/* where the code is, or the call that was inlined; NULL: not known */
	unsigned int code_line;		/* 0: it is of no line */
};

/* Functions within each other; what is deeper belongs to what is around it. */
#define SYMBOLS_CODES_MOST 64u

/*
 * The functions whose code is at @addr, by debug information: the function that was called, then those that
 * the compiler inlined there, outermost first. If several copies can be called, a wanted one is taken.
 * Return: how many; 1 if debug information has only lines; 0 if it has nothing about @addr
 */
size_t symbols_code(struct symbols *symbols, uint64_t addr, symbols_wanted *wanted, void *context,
		    struct symbol_code codes[SYMBOLS_CODES_MOST]);

/* Is there debug information that cannot be read, as far as that was tried? */
bool symbols_are_damaged(const struct symbols *symbols);

/*
 * The name of the variable at @addr, *@offset bytes from its begin, as the symbol table has it; NULL: none is
 * known there. The text is valid until symbols_close().
 */
const char *symbols_variable(struct symbols *symbols, uint64_t addr, uint64_t *offset);

/* Why names are missing: "is gone", ... */
const char *symbols_state_text(enum symbols_state state);
