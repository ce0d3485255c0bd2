/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads sections. No offset or size in the file is used before it is compared with the file's size. */
#include "preload/monitor/tools/elf_file.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool elf_file_open(struct elf_file *file, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat stat_of;
	void *map = MAP_FAILED;

	if (fd >= 0 && fstat(fd, &stat_of) == 0 && stat_of.st_size >= (off_t)sizeof(Elf64_Ehdr))
		map = mmap(NULL, (size_t)stat_of.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	*file = (struct elf_file){ NULL, 0 };
	if (map == MAP_FAILED)
		return false;
	*file = (struct elf_file){ map, (size_t)stat_of.st_size };
	if (!memcmp(map, ELFMAG, SELFMAG) && file->map[EI_CLASS] == ELFCLASS64)
		return true;
	elf_file_close(file);
	return false;
}

void elf_file_close(struct elf_file *file)
{
	munmap((void *)file->map, file->bytes);
	file->map = NULL;
}

/* Return: NULL when the file does not reach that far. */
static const void *at(const struct elf_file *file, uint64_t offset, uint64_t bytes)
{
	return offset <= file->bytes && bytes <= file->bytes - offset ? file->map + offset : NULL;
}

static const Elf64_Shdr *section(const struct elf_file *file, uint64_t index)
{
	const Elf64_Ehdr *elf = (const Elf64_Ehdr *)file->map;

	if (index >= elf->e_shnum || elf->e_shentsize != sizeof(Elf64_Shdr) || elf->e_shoff % 8)
		return NULL;
	return at(file, elf->e_shoff + index * sizeof(Elf64_Shdr), sizeof(Elf64_Shdr));
}

static const void *contents(const struct elf_file *file, const Elf64_Shdr *of)
{
	return of && of->sh_type != SHT_NOBITS ? at(file, of->sh_offset, of->sh_size) : NULL;
}

/* Is the string at @offset of @table equal to @name? */
static bool is_named(const struct elf_file *file, const Elf64_Shdr *table, uint64_t offset, const char *name)
{
	const char *strings = contents(file, table);
	uint64_t bytes = strlen(name) + 1;

	return strings && offset < table->sh_size && bytes <= table->sh_size - offset &&
	       !memcmp(strings + offset, name, bytes);
}

static const Elf64_Shdr *find_section(const struct elf_file *file, const char *name)
{
	const Elf64_Ehdr *elf = (const Elf64_Ehdr *)file->map;
	const Elf64_Shdr *of, *names = section(file, elf->e_shstrndx);

	for (uint64_t i = 1; (of = section(file, i)); i++) {
		if (is_named(file, names, of->sh_name, name))
			return of;
	}
	return NULL;
}

bool elf_file_has_section(const struct elf_file *file, const char *name)
{
	return find_section(file, name);
}

static enum elf_symbol look_in(const struct elf_file *file, const Elf64_Shdr *table, const char *name)
{
	const Elf64_Sym *symbols = contents(file, table);
	const Elf64_Shdr *names = section(file, table->sh_link);
	enum elf_symbol found = ELF_SYMBOL_NONE;

	if (!symbols || table->sh_offset % 8)
		return found;
	for (uint64_t i = 1; i < table->sh_size / sizeof(*symbols); i++) {
		if (!is_named(file, names, symbols[i].st_name, name))
			continue;
		if (symbols[i].st_shndx != SHN_UNDEF)
			return ELF_SYMBOL_DEFINED;
		found = ELF_SYMBOL_USED;
	}
	return found;
}

/*
 * In the full table a symbol's version may follow its name: "mcount@GLIBC_2.2.5". The dynamic table
 * has the name alone.
 */
enum elf_symbol elf_file_symbol(const struct elf_file *file, const char *name)
{
	enum elf_symbol found = ELF_SYMBOL_NONE;
	const Elf64_Shdr *of;

	for (uint64_t i = 1; (of = section(file, i)); i++) {
		enum elf_symbol here = ELF_SYMBOL_NONE;

		if (of->sh_type == SHT_DYNSYM || of->sh_type == SHT_SYMTAB)
			here = look_in(file, of, name);
		if (here > found)
			found = here;
	}
	return found;
}

bool elf_file_build_id(const struct elf_file *file, char *text, size_t bytes)
{
	const Elf64_Shdr *of = find_section(file, ".note.gnu.build-id");
	const uint8_t *note = contents(file, of);
	Elf64_Nhdr head;
	size_t used = 0;

	if (!note || of->sh_size < sizeof(head))
		return false;
	memcpy(&head, note, sizeof(head));
	if (head.n_namesz != 4 || head.n_descsz < 2 || head.n_descsz > of->sh_size - sizeof(head) - 4 ||
	    bytes < 2 * (size_t)head.n_descsz + 2)
		return false;
	for (uint32_t i = 0; i < head.n_descsz; i++)
		used += (size_t)snprintf(text + used, bytes - used, "%02x%s", note[sizeof(head) + 4 + i],
					 i ? "" : "/");
	return true;
}
