/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The few symbols and sections that show how a file was compiled, by libelf. */
#include "analyzer/symbols/symbols_hooks.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
	const char *name;
	bool is_section;
	enum hooks_kind kind;
} signs[] = {
	{ "__cyg_profile_func_enter", false, HOOKS_CALLED },
	{ "mcount", false, HOOKS_MCOUNT },
	{ "_mcount", false, HOOKS_MCOUNT },
	{ "__fentry__", false, HOOKS_FENTRY },
	{ "xray_instr_map", true, HOOKS_XRAY },
	{ "__patchable_function_entries", true, HOOKS_PATCHABLE },
};

static enum hooks_kind kind_of(const char *name, bool is_section)
{
	for (size_t i = 0; name && i < sizeof(signs) / sizeof(*signs); i++)
		if (signs[i].is_section == is_section && strcmp(signs[i].name, name) == 0)
			return signs[i].kind;
	return HOOKS_NONE;
}

/* Hooks of its own say most, other tracers least: a file may be built for both. */
static enum hooks_kind stronger(enum hooks_kind a, enum hooks_kind b)
{
	if (a == HOOKS_OWN || b == HOOKS_OWN)
		return HOOKS_OWN;
	if (a == HOOKS_NONE || b == HOOKS_CALLED)
		return b;
	return a;
}

static enum hooks_kind look_at_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *head)
{
	Elf_Data *data = elf_getdata(section, NULL);
	enum hooks_kind found = HOOKS_NONE;
	GElf_Sym symbol;

	for (int i = 1; data && gelf_getsym(data, i, &symbol); i++) {
		enum hooks_kind kind = kind_of(elf_strptr(elf, head->sh_link, symbol.st_name), false);

		if (kind == HOOKS_CALLED && symbol.st_shndx != SHN_UNDEF)
			kind = HOOKS_OWN;
		found = stronger(found, kind);
	}
	return found;
}

static enum hooks_kind look_at(Elf *elf)
{
	enum hooks_kind found = HOOKS_NONE;
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) < 0)
		return HOOKS_NONE;
	while ((section = elf_nextscn(elf, section)) != NULL) {
		GElf_Shdr head;

		if (!gelf_getshdr(section, &head))
			continue;
		found = stronger(found, kind_of(elf_strptr(elf, names, head.sh_name), true));
		if (head.sh_type == SHT_SYMTAB || head.sh_type == SHT_DYNSYM)
			found = stronger(found, look_at_symbols(elf, section, &head));
	}
	return found;
}

static bool agrees(Elf *elf, const struct symbols_file *file)
{
	const void *id;
	ssize_t bytes = dwelf_elf_gnu_build_id(elf, &id);

	if (!file->build_id_bytes)
		return bytes <= 0;
	return bytes > 0 && (size_t)bytes == file->build_id_bytes &&
	       memcmp(id, file->build_id, (size_t)bytes) == 0;
}

enum hooks_kind symbols_hooks(const struct symbols_file *file)
{
	enum hooks_kind kind = HOOKS_NONE;
	int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode)
		      ? elf_begin(fd, ELF_C_READ_MMAP, NULL)
		      : NULL;
	if (elf && agrees(elf, file))
		kind = look_at(elf);
	if (elf)
		elf_end(elf);
	if (fd >= 0)
		close(fd);
	return kind;
}
