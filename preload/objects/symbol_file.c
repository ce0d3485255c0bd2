/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads symbol tables, and with them the line tables of debug information. */
#include "preload/objects/symbol_file.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "preload/common/base/syscalls.h"
#include "preload/common/base/text.h"
#include "preload/objects/fork_gate.h"
#include "preload/objects/function_files.h"

#define SECTIONS_MAX 4096u
#define BYTES_MAX (1ull << 32) /* of one table */
#define PATH_BYTES 1024

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

static void each_symbol(const struct chunk *symbols, const struct chunk *strings,
			const struct function_files *files, symbol_each *each, void *context)
{
	const ElfW(Sym) *symbol = (const ElfW(Sym) *)symbols->start;
	const char *file = NULL;
	char path[PATH_BYTES];

	for (uint64_t i = 0; i < symbols->bytes / sizeof(*symbol); i++, symbol++) {
		const char *name = strings->start + symbol->st_name;
		bool is_local = ELF64_ST_BIND(symbol->st_info) == STB_LOCAL;

		if (symbol->st_name >= strings->bytes)
			continue;
		if (ELF64_ST_TYPE(symbol->st_info) == STT_FILE)
			file = *name ? name : NULL;
		else if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF && *name)
			each(name,
			     files->places.nr ? function_file(files, symbol->st_value, path, sizeof(path))
			     : is_local	      ? file
					      : NULL,
			     symbol->st_value, symbol->st_size, context);
	}
}

/* The best symbol table: .symtab, otherwise .dynsym. */
static const ElfW(Shdr) * find_table(const ElfW(Shdr) * sections, uint32_t nr)
{
	const ElfW(Shdr) *found = NULL;

	for (uint32_t i = 0; i < nr; i++)
		if (sections[i].sh_link < nr &&
		    (sections[i].sh_type == SHT_SYMTAB || (sections[i].sh_type == SHT_DYNSYM && !found)))
			found = &sections[i];
	return found;
}

/* A section that is not compressed. */
static struct chunk read_named(int fd, const struct chunk *sections, const struct chunk *names,
			       const char *name)
{
	const ElfW(Shdr) *section = (const ElfW(Shdr) *)sections->start;

	for (uint64_t i = 0; i < sections->bytes / sizeof(*section); i++, section++)
		if (section->sh_type == SHT_PROGBITS && !(section->sh_flags & SHF_COMPRESSED) &&
		    section->sh_name < names->bytes && text_equal(names->start + section->sh_name, name))
			return read_chunk(fd, section->sh_offset, section->sh_size);
	return (struct chunk){ NULL, 0 };
}

/* With the source files of all functions, if the file tells them. */
static int each_symbol_with_file(int fd, const struct chunk *sections, uint32_t names_at,
				  const struct chunk *symbols, const struct chunk *strings, symbol_each *each,
				  void *context)
{
	const ElfW(Shdr) *section = (const ElfW(Shdr) *)sections->start + names_at;
	struct chunk names = read_chunk(fd, section->sh_offset, section->sh_size), parts[3] = { { NULL, 0 } };
	static const char *const of_parts[] = { ".debug_line", ".debug_line_str", ".debug_str" };
	struct function_files files = { .places = { .nr = 0 } };
	int result;

	for (int i = 0; names.start && i < 3; i++)
		parts[i] = read_named(fd, sections, &names, of_parts[i]);
	if (parts[0].start)
		function_files_read(&files, &parts[0], &parts[1], &parts[2]);
	each_symbol(symbols, strings, &files, each, context);
	result = files.places.nr ? SYMBOLS_WITH_FILES : 0;
	function_files_release(&files);
	for (int i = 0; i < 3; i++)
		free_chunk(&parts[i]);
	free_chunk(&names);
	return result;
}

static int read_symbols(int fd, bool wants_files, symbol_each *each, void *context)
{
	static const struct function_files no_files;
	struct chunk sections, symbols, strings;
	const ElfW(Shdr) * table;
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
			error = 0;
			if (wants_files && head.e_shstrndx < head.e_shnum)
				error = each_symbol_with_file(fd, &sections, head.e_shstrndx, &symbols,
							      &strings, each, context);
			else
				each_symbol(&symbols, &strings, &no_files, each, context);
		}
		free_chunk(&symbols);
		free_chunk(&strings);
	}
	free_chunk(&sections);
	return error;
}

int symbol_file_each(const char *path, bool wants_files, symbol_each *each, void *context)
{
	uint64_t mask;
	int fd, error;

	sys_block_signals(&mask); /* a handler that jumps away would leave the descriptor open */
	moment_begin();
	fd = error = (int)sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
	if (fd >= 0) {
		error = read_symbols(fd, wants_files, each, context);
		sys_close(fd);
	}
	moment_end();
	sys_restore_signals(&mask);
	return error;
}
