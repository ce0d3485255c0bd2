/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading symbol tables of files without libc. Nothing in a file is believed. */
#include "preload/objects/symbol_file.h"

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
	char *start;			/* NULL: nothing */
	uint64_t bytes;
};

/* [@offset, + @bytes) of the file, and a 0 behind it. */
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

static void each_symbol(const struct chunk *symbols, const struct chunk *strings, symbol_each *each, void *context)
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

/* The section table's best symbol table: .symtab, else .dynsym. */
static const ElfW(Shdr) *find_table(const ElfW(Shdr) *sections, uint32_t nr)
{
	const ElfW(Shdr) *found = NULL;

	for (uint32_t i = 0; i < nr; i++)
		if (sections[i].sh_link < nr && (sections[i].sh_type == SHT_SYMTAB || (sections[i].sh_type == SHT_DYNSYM && !found)))
			found = &sections[i];
	return found;
}

static int read_symbols(int fd, symbol_each *each, void *context)
{
	struct chunk sections, symbols, strings;
	const ElfW(Shdr) *table;
	ElfW(Ehdr) head;
	int error = -EINVAL;

	if (sys_pread(fd, &head, sizeof(head), 0) != sizeof(head) || !text_begins((const char *)head.e_ident, ELFMAG) ||
	    head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_shentsize != sizeof(*table) || head.e_shnum > SECTIONS_MAX)
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
