/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loaded objects as they lie in memory: segments, symbols, build-id. Looks symbols up itself: dlsym()
 * allocates, frees the program's dlerror() text, and under sanitizers calls back into our wrappers.
 */
#ifndef INSIDEME_LOADED_OBJECTS_H
#define INSIDEME_LOADED_OBJECTS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What dynamic linkers keep for debuggers: glibc's, and musl's, which loads this library into a program that it does not fit, and
 * would end that for a reference it cannot resolve. So both are weak, and of no library's version.
 */
#pragma weak _r_debug
extern struct r_debug *_dl_debug_addr __attribute__((weak));

static inline const struct r_debug *linker_debug(void)
{
	return &_r_debug ? &_r_debug : _dl_debug_addr;
}

struct object {
	const ElfW(Dyn) *dynamic;	/* what the rest was read from; NULL: it has none */
	const char *name;		/* as the dynamic linker has it: "" for the program; lives as long as the object */
	uintptr_t bias;			/* address in memory less address in the file */
	uintptr_t begin;		/* lowest and end of its loaded segments; both 0 when not known */
	uintptr_t end;
	const uint8_t *build_id;	/* NULL: it has none */
	uint32_t build_id_bytes;

	const char *soname;		/* "" for none */
	const ElfW(Sym) *symbols;	/* NULL: it has none */
	const char *strings;
	const uint16_t *versions;
	const uint32_t *gnu_hash;
	const uint32_t *hash;
	const ElfW(Rela) *relocations[2];	/* of calls, and of data that is not relative */
	size_t nr_relocations[2];
};

/* libc's dl_iterate_phdr(): from here on it is what walks, under the dynamic linker's lock. Constructor only. */
void objects_init(int (*iterate)(int (*)(struct dl_phdr_info *, size_t, void *), void *));

typedef int object_each(const struct object *object, void *context);

/*
 * Call @each for every loaded object, in the dynamic linker's order, until it returns something else than 0; that
 * is returned. Later than the constructor the caller may have to wait for a dlopen() of another thread.
 */
int objects_each(object_each *each, void *context);

/*
 * The object that @addr lies in, by glibc's _dl_find_object(): without a lock, and so from anywhere, a forked
 * child too, where another thread's lock stays taken. Return: 0, -ENOENT when it is in none.
 */
int object_at(int (*find_object)(void *, void *), uintptr_t addr, struct object *object);

/* Is it this library? */
bool object_is_ours(const struct object *object);

/* The hash that object_find() takes. */
uint32_t symbol_hash(const char *name);

/* Address of the function or variable that @object defines, in its default version; NULL if it defines none. */
void *object_find(const struct object *object, const char *name, uint32_t hash);

/* How long the code of that function is; 0: the object does not define it, or does not say. */
uint64_t object_function_bytes(const struct object *object, const char *name);

/* Where @object, which does not define @name, keeps the address of what it found by it; NULL: it does not use it. */
void **object_slot(const struct object *object, const char *name);

static inline bool object_holds(const struct object *object, uintptr_t addr)
{
	return addr - object->begin < object->end - object->begin;
}

#endif
