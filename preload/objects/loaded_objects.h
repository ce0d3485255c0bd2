/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loaded objects as they lie in memory: segments, symbols, build-id. They look up symbols
 * themselves: dlsym() allocates, frees the program's text of dlerror(), and under sanitizers calls
 * our wrappers.
 */
#pragma once

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/common/base/compiler.h"

/*
 * The list of objects that dynamic linkers keep for debuggers, in glibc and in musl. musl loads this library
 * into programs for which it is not built, and would end them for a reference that it cannot resolve. So both
 * are weak, and bound to no library's version.
 */
#pragma weak _r_debug
extern struct r_debug *_dl_debug_addr __attribute__((weak));

static inline const struct r_debug *linker_debug(void)
{
	return &_r_debug ? &_r_debug : _dl_debug_addr;
}

struct object {
	const ElfW(Dyn) *dynamic;	/* the other fields were read from this; NULL: the object has none */
	/* As the dynamic linker has it, "" for the program; valid as long as the object */
	const char *name;
	uintptr_t bias;			/* address in memory minus address in the file */
	uintptr_t begin;	/* lowest address and end of its loaded segments; both 0 when not known */
	uintptr_t end;
	const uint8_t *build_id;	/* NULL: none */
	uint32_t build_id_bytes;

	const char *soname;		/* "": none */
	const ElfW(Sym) *symbols;	/* NULL: none */
	const char *strings;
	const uint16_t *versions;
	const uint32_t *gnu_hash;
	const uint32_t *hash;
	const ElfW(Rela) *relocations[2];	/* of calls, and of data that is not relative */
	size_t nr_relocations[2];
};

/*
 * @iterate: libc's dl_iterate_phdr(). From here on it does the walk, under the dynamic linker's
 *   lock. Constructor only.
 */
void objects_init(int (*iterate)(int (*)(struct dl_phdr_info *, size_t, void *), void *));

typedef int object_each(const struct object *object, void *context);

/*
 * Call @each for every loaded object, in the dynamic linker's order, until it returns something
 * other than 0. Return: that value. After the constructor the caller may have to wait for a
 * dlopen() of another thread.
 */
int objects_each(object_each *each, void *context);

/* struct dl_find_object, with room for more fields. Older headers do not have it. */
struct found_object {
	uint64_t flags;
	void *begin;
	void *end;
	struct link_map *map;
	uint64_t rest[12];
};

/*
 * The object at @addr, by glibc's _dl_find_object(). It takes no lock and may be called from
 * anywhere, even in a forked child, where a lock of another thread stays taken. Return: 0, or
 * -ENOENT when no object is there.
 */
int object_at(int (*find_object)(void *, void *), uintptr_t addr, struct object *object);

/* Is it this library? */
bool object_is_ours(const struct object *object);

/* The hash that object_find() takes. */
uint32_t symbol_hash(const char *name);

/*
 * Address of the function or variable @name in @object, in its default version. NULL: @object does
 * not define it.
 */
void *object_find(const struct object *object, const char *name, uint32_t hash);

/* The same for the version that is not the default; only in objects with a GNU hash table. */
void *object_find_old(const struct object *object, const char *name, uint32_t hash);

/*
 * The place where @object, which does not define @name, keeps the address that the linker found for it. NULL:
 * it does not use @name.
 */
void **object_slot(const struct object *object, const char *name);

static inline bool object_holds(const struct object *object, uintptr_t addr)
{
	return addr - object->begin < object->end - object->begin;
}

/*
 * Runtimes of languages. These blocks are not leaks: those of the dynamic linker, the buffers of stdio, and
 * what the runtimes of C, C++ and Fortran allocate before the program's first function.
 *
 * Constructor only.
 */
void runtimes_init(void);

struct runtime_range {
	uintptr_t begin;
	uintptr_t bytes;
};
extern HIDDEN struct runtime_range runtimes_linker, runtimes_buffers;	/* set before any thread */

/* Is the code at @addr a runtime's? */
bool runtimes_hold(uintptr_t addr);

/* Does the function at @caller, which calls the allocator, keep its blocks for itself, whatever called it? */
static ALWAYS_INLINE bool runtimes_keep(uintptr_t caller)
{
	return caller - runtimes_linker.begin < runtimes_linker.bytes ||
	       caller - runtimes_buffers.begin < runtimes_buffers.bytes;
}
