/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of C++'s and gfortran's name mangling that names without parameters need. */
#include "preload/objects/function_names.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "preload/common/base/syscalls.h"
#include "preload/common/base/text.h"
#include "preload/objects/fork_gate.h"

#define SECTIONS_MAX	4096u
#define BYTES_MAX	(1ull << 32)	/* of one table */

struct chunk {
	char *start;			/* NULL: nothing was read */
	uint64_t bytes;
};

/* Read @bytes at @offset of the file, and end them with 0. */
static struct chunk read_chunk(int fd, uint64_t offset, uint64_t bytes)
{
	struct chunk chunk = { NULL, bytes };
	long place, got;

	if (!bytes || bytes >= BYTES_MAX)
		return chunk;
	place = sys_mmap(NULL, bytes + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (sys_failed(place))
		return chunk;
	chunk.start = (char *)place;
	for (uint64_t done = 0; done < bytes; done += (uint64_t)got) {
		got = sys_pread(fd, chunk.start + done, bytes - done, offset + done);
		if (got > 0)
			continue;
		sys_munmap(chunk.start, bytes + 1);
		chunk.start = NULL;
		break;
	}
	return chunk;
}

static void free_chunk(struct chunk *chunk)
{
	if (chunk->start)
		sys_munmap(chunk->start, chunk->bytes + 1);
}

static void each_symbol(const struct chunk *symbols, const struct chunk *strings, symbol_each *each,
			void *context)
{
	const ElfW(Sym) *symbol = (const ElfW(Sym) *)symbols->start;
	const char *file = NULL;

	for (uint64_t i = 0; i < symbols->bytes / sizeof(*symbol); i++, symbol++) {
		const char *name = strings->start + symbol->st_name;
		bool is_local = ELF64_ST_BIND(symbol->st_info) == STB_LOCAL;

		if (symbol->st_name >= strings->bytes)
			continue;
		if (ELF64_ST_TYPE(symbol->st_info) == STT_FILE)
			file = *name ? name : NULL;
		else if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF && *name)
			each(name, is_local ? file : NULL, symbol->st_value, context);
	}
}

/* The best symbol table: .symtab, otherwise .dynsym. */
static const ElfW(Shdr) *find_table(const ElfW(Shdr) *sections, uint32_t nr)
{
	const ElfW(Shdr) *found = NULL;

	for (uint32_t i = 0; i < nr; i++)
		if (sections[i].sh_link < nr &&
		    (sections[i].sh_type == SHT_SYMTAB || (sections[i].sh_type == SHT_DYNSYM && !found)))
			found = &sections[i];
	return found;
}

static int read_symbols(int fd, symbol_each *each, void *context)
{
	struct chunk sections, symbols, strings;
	const ElfW(Shdr) *table;
	ElfW(Ehdr) head;
	int error = -EINVAL;

	if (sys_pread(fd, &head, sizeof(head), 0) != sizeof(head) ||
	    !text_begins((const char *)head.e_ident, ELFMAG) || head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    head.e_shentsize != sizeof(*table) || head.e_shnum > SECTIONS_MAX)
		return -EINVAL;
	sections = read_chunk(fd, head.e_shoff, (uint64_t)head.e_shnum * sizeof(*table));
	table = sections.start ? find_table((const ElfW(Shdr) *)sections.start, head.e_shnum) : NULL;
	if (table) {
		const ElfW(Shdr) *names = (const ElfW(Shdr) *)sections.start + table->sh_link;

		symbols = read_chunk(fd, table->sh_offset, table->sh_size);
		strings = read_chunk(fd, names->sh_offset, names->sh_size);
		if (symbols.start && strings.start) {
			each_symbol(&symbols, &strings, each, context);
			error = 0;
		}
		free_chunk(&symbols);
		free_chunk(&strings);
	}
	free_chunk(&sections);
	return error;
}

int symbol_file_each(const char *path, symbol_each *each, void *context)
{
	uint64_t mask;
	int fd, error;

	sys_block_signals(&mask);	/* a handler that jumps away would leave the descriptor open */
	moment_begin();
	fd = error = (int)sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
	if (fd >= 0) {
		error = read_symbols(fd, each, context);
		sys_close(fd);
	}
	moment_end();
	sys_restore_signals(&mask);
	return error;
}

#define ANONYMOUS "_GLOBAL__N_"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/*
 * Read a length that is followed by as many bytes, and move @at to the first of those. Return: the
 * length; 0: there is none.
 */
static size_t read_length(const char **at)
{
	size_t length = 0;

	while (is_digit(**at) && length < 4096)
		length = length * 10 + (size_t)(*(*at)++ - '0');
	for (size_t i = 0; i < length; i++)
		if (!(*at)[i])
			return 0;
	return length;
}

/*
 * Skip template arguments, which end with an E of their own. Return: NULL when they contain
 * something else.
 */
static const char *skip_arguments(const char *at)
{
	int depth = 0;

	for (;;) {
		size_t length;

		if (is_digit(*at)) {
			length = read_length(&at);
			if (!length)
				return NULL;
			at += length;
			continue;
		}
		if (*at == 'L') {	/* a literal: its digits are no length */
			while (*at && *at != 'E')
				at++;
		} else if (*at == 'I' || *at == 'N' || *at == 'J' || *at == 'F' || *at == 'X') {
			depth++;
		} else if (*at == 'E' && --depth == 0) {
			return at + 1;
		}
		if (!*at++)
			return NULL;
	}
}

/*
 * Read one part of a name that is no identifier: std, a constructor or a destructor. Return: what
 * follows; NULL: it is something else.
 */
static const char *read_part(const char *at, struct text *name, const char *last, size_t last_bytes)
{
	if (at[0] == 'S' && at[1] == 't') {
		text_add(name, "std");
		return at + 2;
	}
	if ((at[0] == 'C' || at[0] == 'D') && is_digit(at[1]) && last) {
		text_add(name, at[0] == 'D' ? "~" : "");
		text_add_bytes(name, last, last_bytes);
		return at + 2;
	}
	return NULL;
}

static bool read_parts(const char *at, struct text *name, bool is_nested)
{
	const char *last = NULL;
	size_t last_bytes = 0;

	for (bool is_first = true;; is_first = false) {
		if (!is_first)
			text_add(name, "::");
		if (is_digit(*at)) {
			last_bytes = read_length(&at);
			last = at;
			if (!last_bytes)
				return false;
			if (text_begins(at, ANONYMOUS))
				text_add(name, "(anonymous namespace)");
			else
				text_add_bytes(name, at, last_bytes);
			at += last_bytes;
		} else {
			at = read_part(at, name, last, last_bytes);
		}
		if (at && *at == 'I')
			at = skip_arguments(at);
		if (!at)
			return false;
		if (is_nested ? *at == 'E' : last != NULL)
			return !name->cut;
	}
}

static bool plain_cpp(const char *at, struct text *name)
{
	bool is_nested = *at == 'N';

	if (is_nested)
		for (at++; *at == 'K' || *at == 'V' || *at == 'R' || *at == 'O'; at++)
			;
	else if (*at == 'L')
		at++;
	return read_parts(at, name, is_nested);
}

static bool plain_fortran(const char *symbol, struct text *name)
{
	for (const char *at = symbol + 2; *at; at++) {
		if (!text_begins(at, "_MOD_"))
			continue;
		text_add_bytes(name, symbol + 2, (size_t)(at - symbol) - 2);
		text_add(name, "::");
		text_add(name, at + 5);
		return !name->cut;
	}
	return false;
}

bool symbol_plain_name(const char *symbol, char *name, size_t bytes)
{
	struct text text;
	size_t length = text_length(symbol);

	text_init(&text, name, bytes);
	if (text_begins(symbol, "_Z"))
		return plain_cpp(symbol + 2, &text);
	if (text_begins(symbol, "__") && plain_fortran(symbol, &text))
		return true;
	if (length < 2 || symbol[length - 1] != '_')
		return false;
	text_init(&text, name, bytes);
	text_add_bytes(&text, symbol, length - 1);	/* a Fortran procedure outside of modules */
	return !text.cut;
}
