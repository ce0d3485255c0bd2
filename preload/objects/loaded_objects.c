/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads loaded objects as they lie in memory: segments, symbols, build-id. */
#include "preload/objects/loaded_objects.h"

#include <errno.h>

#include "preload/common/base/text.h"

/* Set before any thread */
static int (*iterate_objects)(int (*)(struct dl_phdr_info *, size_t, void *), void *);

#define SYMBOL_IS_HIDDEN 0x8000u	/* in versions[]: not the default version */

bool object_is_ours(const struct object *object)
{
	return object->dynamic == _DYNAMIC;	/* _DYNAMIC is the linker's name for our own */
}

/* The dynamic linker has made the addresses in the dynamic section absolute, except in the vDSO. */
static const void *dynamic_addr(const struct object *object, uintptr_t value)
{
	return (const void *)(value >= object->bias ? value : value + object->bias);
}

static void read_dynamic(struct object *object, const ElfW(Dyn) *dynamic)
{
	size_t nr_relative = 0, soname = 0;

	object->dynamic = dynamic;
	for (; dynamic->d_tag != DT_NULL; dynamic++) {
		const void *place = dynamic_addr(object, dynamic->d_un.d_ptr);
		const size_t count = dynamic->d_un.d_val / sizeof(ElfW(Rela));

		switch (dynamic->d_tag) {
		case DT_SYMTAB:
			object->symbols = place;
			break;
		case DT_STRTAB:
			object->strings = place;
			break;
		case DT_VERSYM:
			object->versions = place;
			break;
		case DT_GNU_HASH:
			object->gnu_hash = place;
			break;
		case DT_HASH:
			object->hash = place;
			break;
		case DT_JMPREL:
			object->relocations[0] = place;
			break;
		case DT_PLTRELSZ:
			object->nr_relocations[0] = count;
			break;
		case DT_RELA:
			object->relocations[1] = place;
			break;
		case DT_RELASZ:
			object->nr_relocations[1] = count;
			break;
		case DT_RELACOUNT:
			nr_relative = dynamic->d_un.d_val;
			break;
		case DT_SONAME:
			soname = dynamic->d_un.d_val;
			break;
		}
	}
	if (object->strings && soname)
		object->soname = object->strings + soname;
	if (!object->strings || (!object->gnu_hash && !object->hash))
		object->symbols = NULL;
	if (object->relocations[1] && nr_relative <= object->nr_relocations[1]) {
		object->relocations[1] += nr_relative;
		object->nr_relocations[1] -= nr_relative;
	}
}

static uintptr_t note_padded(uintptr_t bytes, uintptr_t align)
{
	return (bytes + align - 1) & ~(align - 1);
}

static void read_notes(struct object *object, const ElfW(Phdr) *segment)
{
	const uintptr_t align = segment->p_align == 8 ? 8 : 4;
	const uint8_t *at = (const uint8_t *)(object->bias + segment->p_vaddr);
	const uint8_t *end = at + segment->p_memsz;

	while ((uintptr_t)(end - at) > sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const void *)at;
		const uint8_t *name = at + sizeof(*note);
		const uint8_t *content = name + note_padded(note->n_namesz, 4);

		if (note->n_namesz > (uintptr_t)(end - name) || content > end ||
		    note->n_descsz > (uintptr_t)(end - content))
			return;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
		    text_equal((const char *)name, "GNU")) {
			object->build_id = content;
			object->build_id_bytes = note->n_descsz;
			return;
		}
		at = content + note_padded(note->n_descsz, align);
		if (at > end)
			return;
	}
}

static void read_range(struct object *object, const ElfW(Phdr) *segment)
{
	uintptr_t begin = object->bias + segment->p_vaddr, end = begin + segment->p_memsz;

	if (!object->end || begin < object->begin)
		object->begin = begin;
	if (end > object->end)
		object->end = end;
}

static void read_object(struct object *object, const struct dl_phdr_info *info)
{
	*object = (struct object){ .name = info->dlpi_name ?: "", .bias = info->dlpi_addr, .soname = "" };
	for (uint32_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD)
			read_range(object, segment);
		if (segment->p_type == PT_DYNAMIC)
			read_dynamic(object, (const void *)(object->bias + segment->p_vaddr));
		if (segment->p_type == PT_NOTE && !object->build_id)
			read_notes(object, segment);
	}
}

struct visit {
	object_each *each;
	void *context;
};

static int visit(struct dl_phdr_info *info, size_t bytes, void *context)
{
	struct visit *visit = context;
	struct object object;

	read_object(&object, info);
	return visit->each(&object, visit->context);
}

/* Calls no function: a sanitizer may have replaced it, and may not be ready yet. */
static int each_of_list(object_each *each, void *context)
{
	int result = 0;

	for (const struct link_map *map = linker_debug()->r_map; map && !result; map = map->l_next) {
		struct object object = { .name = map->l_name ?: "", .bias = map->l_addr, .soname = "" };

		if (map->l_ld)
			read_dynamic(&object, map->l_ld);
		result = each(&object, context);
	}
	return result;
}

int objects_each(object_each *each, void *context)
{
	struct visit all = { each, context };

	return iterate_objects ? iterate_objects(visit, &all) : each_of_list(each, context);
}

void objects_init(int (*iterate)(int (*)(struct dl_phdr_info *, size_t, void *), void *))
{
	iterate_objects = iterate;
}

int object_at(int (*find_object)(void *, void *), uintptr_t addr, struct object *object)
{
	struct found_object found;
	struct dl_phdr_info info;
	const ElfW(Ehdr) *header;

	if (find_object((void *)addr, &found) != 0)
		return -ENOENT;
	header = found.begin;
	if (*(const uint32_t *)header->e_ident != 0x464c457fu /* "\177ELF" */ ||
	    header->e_phoff + header->e_phnum * sizeof(ElfW(Phdr)) > 4096)
		return -ENOENT;		/* the first page holds something else */
	info = (struct dl_phdr_info){
		.dlpi_addr = found.map->l_addr,
		.dlpi_name = found.map->l_name,
		.dlpi_phdr = (const void *)((const char *)header + header->e_phoff),
		.dlpi_phnum = header->e_phnum,
	};
	read_object(object, &info);
	return 0;
}

uint32_t symbol_hash(const char *name)
{
	uint32_t hash = 5381;

	while (*name)
		hash = hash * 33 + (uint8_t)*name++;
	return hash;
}

static bool is_definition(const struct object *object, uint32_t index, const char *name, bool is_old)
{
	const ElfW(Sym) *symbol = &object->symbols[index];

	return symbol->st_shndx != SHN_UNDEF && symbol->st_value &&
	       (object->versions && object->versions[index] & SYMBOL_IS_HIDDEN) == is_old &&
	       ELF64_ST_TYPE(symbol->st_info) != STT_TLS &&
	       text_equal(object->strings + symbol->st_name, name);
}

/* Return: the index of the definition, or 0 for none. */
static uint32_t find_by_gnu_hash(const struct object *object, const char *name, uint32_t hash, bool is_old)
{
	const uint32_t nr_buckets = object->gnu_hash[0], first = object->gnu_hash[1];
	const uint32_t nr_bloom = object->gnu_hash[2], shift = object->gnu_hash[3];
	const uint64_t *bloom = (const uint64_t *)(object->gnu_hash + 4);
	const uint32_t *buckets = (const uint32_t *)(bloom + nr_bloom);
	const uint32_t *chain = buckets + nr_buckets;
	const uint64_t bits = 1ull << (hash % 64) | 1ull << ((hash >> shift) % 64);

	if (!nr_buckets || !nr_bloom || (bloom[hash / 64 & (nr_bloom - 1)] & bits) != bits)
		return 0;
	for (uint32_t i = buckets[hash % nr_buckets]; i >= first && i; i++) {
		if ((chain[i - first] | 1) == (hash | 1) && is_definition(object, i, name, is_old))
			return i;
		if (chain[i - first] & 1)
			break;
	}
	return 0;
}

static uint32_t find_one_by_one(const struct object *object, const char *name)
{
	for (uint32_t i = 1; i < object->hash[1]; i++)
		if (is_definition(object, i, name, false))
			return i;
	return 0;
}

static const ElfW(Sym) *find_symbol(const struct object *object, const char *name, uint32_t hash)
{
	uint32_t index;

	if (!object->symbols)
		return NULL;
	index = object->gnu_hash ? find_by_gnu_hash(object, name, hash, false) :
				   find_one_by_one(object, name);
	return index ? &object->symbols[index] : NULL;
}

/* Length of a function's code. 0: the object does not define the function, or not its length. */
static uint64_t function_bytes(const struct object *object, const char *name)
{
	const ElfW(Sym) *symbol = find_symbol(object, name, symbol_hash(name));

	return symbol ? symbol->st_size : 0;
}

void *object_find(const struct object *object, const char *name, uint32_t hash)
{
	const ElfW(Sym) *symbol = find_symbol(object, name, hash);
	void *place;

	if (!symbol)
		return NULL;
	place = (void *)(object->bias + symbol->st_value);
	if (ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC)
		return ((void *(*)(void))place)();
	return place;
}

void *object_find_old(const struct object *object, const char *name, uint32_t hash)
{
	uint32_t index = object->symbols && object->gnu_hash ? find_by_gnu_hash(object, name, hash, true) : 0;

	return index ? (void *)(object->bias + object->symbols[index].st_value) : NULL;
}

/* A GNU hash table covers the defined symbols. The imported ones come before those. */
static bool may_import(const struct object *object, const char *name)
{
	if (!object->gnu_hash)
		return true;
	for (uint32_t i = 1; i < object->gnu_hash[1]; i++)
		if (object->symbols[i].st_shndx == SHN_UNDEF &&
		    text_equal(object->strings + object->symbols[i].st_name, name))
			return true;
	return false;
}

/*
 * Searches the relocations: a symbol table does not contain its length, and a hash table does not
 * contain imported symbols.
 */
void **object_slot(const struct object *object, const char *name)
{
	if (!object->symbols || !may_import(object, name))
		return NULL;
	for (int table = 0; table < 2; table++) {
		const ElfW(Rela) *at = object->relocations[table];

		for (size_t i = 0; at && i < object->nr_relocations[table]; i++) {
			const ElfW(Sym) *symbol = &object->symbols[ELF64_R_SYM(at[i].r_info)];

			if (symbol->st_shndx == SHN_UNDEF &&
			    text_equal(object->strings + symbol->st_name, name))
				return (void **)(object->bias + at[i].r_offset);
		}
	}
	return NULL;
}

#define RUNTIMES_MAX	8

struct runtime_range runtimes_linker, runtimes_buffers;
static struct runtime_range runtimes[RUNTIMES_MAX];	/* set before any thread, as nr_runtimes */
static uint32_t nr_runtimes;

static int find_runtime(const struct object *object, void *context)
{
	static const char *const names[] = { "libc.so.",	"libstdc++.so.", "libc++",
					     "libgfortran.so.", "libgcc_s.so.",	 NULL };
	static const char buffer[] = "_IO_file_doallocate";
	const struct runtime_range all = { object->begin, object->end - object->begin };

	if (text_begins(object->soname, "ld-linux"))
		runtimes_linker = all;
	if (text_begins(object->soname, "libc.so.")) {
		runtimes_buffers.begin = (uintptr_t)object_find(object, buffer, symbol_hash(buffer));
		runtimes_buffers.bytes = function_bytes(object, buffer);
	}
	for (int i = 0; names[i] && nr_runtimes < RUNTIMES_MAX; i++)
		if (text_begins(object->soname, names[i]))
			runtimes[nr_runtimes++] = all;
	return 0;
}

void runtimes_init(void)
{
	objects_each(find_runtime, NULL);
}

NOINLINE bool runtimes_hold(uintptr_t addr)
{
	for (uint32_t i = 0; i < nr_runtimes; i++)
		if (addr - runtimes[i].begin < runtimes[i].bytes)
			return true;
	return false;
}
