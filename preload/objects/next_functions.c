/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the next definitions of the functions that the library interposes. */
#include "preload/objects/next_functions.h"


#include "preload/common/base/syscalls.h"
#include "preload/common/base/text.h"
#include "preload/objects/loaded_objects.h"

LARGE struct real real;
struct libc libc;

#define REAL_NAME(type, name, ...) #name,
static const char *const names[] = { REAL_FUNCTIONS(REAL_NAME) };
#define NR_REAL ARRAY_SIZE(names)
_Static_assert(sizeof(real) == NR_REAL * sizeof(void *), "a slot for each name");

#define LIBC_NAME(type, name, arguments) #name,
static const char *const libc_names[] = { LIBC_FUNCTIONS(LIBC_NAME) };
#define NR_LIBC ARRAY_SIZE(libc_names)
_Static_assert(sizeof(libc) == NR_LIBC * sizeof(void *), "a slot for each name");

/* The task that is looking functions up now; 0: none. A race only repeats the lookup. */
static int looking_up;

struct lookup {
	uint32_t hashes[NR_REAL];
	bool is_last;		/* look at objects before ours; otherwise at those after ours */
	bool is_behind;		/* the walk is past our own object */
};

static void **slot_of(size_t function)
{
	return (void **)&real + function;
}

static bool is_old(const char *name)
{
	return text_begins(name, OLD_VERSION);
}

static const char *plain_name(const char *name)
{
	return is_old(name) ? name + sizeof(OLD_VERSION) - 1 : name;
}

static int look_in(const struct object *object, void *context)
{
	struct lookup *lookup = context;

	if (object_is_ours(object)) {
		lookup->is_behind = !lookup->is_behind;
		return !lookup->is_behind;
	}
	if (!lookup->is_behind && !lookup->is_last)
		return 0;
	for (size_t i = 0; i < NR_REAL; i++) {
		void *found;

		if (__atomic_load_n(slot_of(i), __ATOMIC_RELAXED))
			continue;
		found = is_old(names[i]) ? object_find_old(object, plain_name(names[i]), lookup->hashes[i]) :
					   object_find(object, names[i], lookup->hashes[i]);
		if (found)
			__atomic_store_n(slot_of(i), found, __ATOMIC_RELAXED);
	}
	return 0;
}

/* Older versions of glibc have threads in an object of their own, and some functions belong to ld.so. */
static int look_in_libc(const struct object *object, void *context)
{
	void **slots = context;

	if (!text_begins(object->soname, "libc.so.") && !text_begins(object->soname, "libpthread.so.") &&
	    !text_begins(object->soname, "ld-linux"))
		return 0;
	for (size_t i = 0; i < NR_LIBC; i++)
		if (!slots[i])
			slots[i] = object_find(object, libc_names[i], symbol_hash(libc_names[i]));
	return 0;
}

static bool find_libc(void)
{
	struct libc found = { .dl_iterate_phdr = NULL };

	objects_each(look_in_libc, &found);
	for (size_t i = 0; i < NR_LIBC - 1; i++)	/* the last one may be missing */
		if (!((void **)&found)[i])
			return false;
	libc = found;
	objects_init(libc.dl_iterate_phdr);
	return true;
}

/*
 * False until the dynamic linker has relocated this library. The resolver of an IFUNC may allocate
 * before that.
 */
static bool is_relocated(void)
{
	static void *volatile own_place = (void *)&own_place;

	return own_place == (void *)&own_place;
}

bool real_init(void)
{
	struct lookup lookup;
	int task;

	if (!is_relocated())
		return false;
	task = (int)sys_gettid();
	if (__atomic_load_n(&looking_up, __ATOMIC_RELAXED) == task)
		return false;
	__atomic_store_n(&looking_up, task, __ATOMIC_RELAXED);
	for (size_t i = 0; i < NR_REAL; i++)
		lookup.hashes[i] = symbol_hash(plain_name(names[i]));
	lookup.is_last = lookup.is_behind = false;
	objects_each(look_in, &lookup);
	/* Also the objects before ours, since our library may have been loaded by dlopen() */
	lookup.is_last = lookup.is_behind = true;
	objects_each(look_in, &lookup);
	__atomic_store_n(&looking_up, 0, __ATOMIC_RELAXED);
	return libc.dl_iterate_phdr || find_libc();
}

void real_forget(uintptr_t begin, uintptr_t end)
{
	for (size_t i = 0; i < NR_REAL; i++)
		if ((uintptr_t)*slot_of(i) - begin < end - begin)
			__atomic_store_n(slot_of(i), NULL, __ATOMIC_RELAXED);
}

struct caller_lookup {
	const char *name;
	uint32_t hash;
	uintptr_t caller;
	void *shared;
	void *any;
};

static bool is_cpp_library(const struct object *object)
{
	return text_begins(object->soname, "libstdc++.so.") || text_begins(object->soname, "libc++abi.so.");
}

static int look_for_caller(const struct object *object, void *context)
{
	struct caller_lookup *lookup = context;
	void *found = object_is_ours(object) ? NULL : object_find(object, lookup->name, lookup->hash);
	bool is_own = found && object_holds(object, lookup->caller);

	if (is_own || (found && !lookup->shared && is_cpp_library(object)))
		lookup->shared = found;
	if (found && !lookup->any)
		lookup->any = found;
	return is_own;
}

void *real_for_caller(const char *name, uintptr_t caller)
{
	struct caller_lookup lookup = { .name = name, .hash = symbol_hash(name), .caller = caller };

	objects_each(look_for_caller, &lookup);
	return lookup.shared ? lookup.shared : lookup.any;
}

static int look_before(const struct object *object, void *context)
{
	const char *name = context;

	if (object_is_ours(object))
		return -1;
	return object_find(object, name, symbol_hash(name)) ? 1 : 0;
}

bool real_is_taken(const char *name)
{
	return objects_each(look_before, (void *)name) > 0;
}
