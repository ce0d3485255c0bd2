/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The next definitions of the functions that the library interposes. */
#include "real.h"


#include "objects.h"
#include "syscalls.h"

struct real real;

#define REAL_NAME(type, name, arguments) #name,
static const char *const names[] = { REAL_FUNCTIONS(REAL_NAME) };
#define NR_REAL ARRAY_SIZE(names)
_Static_assert(sizeof(real) == NR_REAL * sizeof(void *), "a slot for each name");

/* The task that looks functions up now, 0: none. A race only repeats the lookup. */
static int looking_up;

struct lookup {
	uint32_t hashes[NR_REAL];
	bool search;
};

static void **slot_of(size_t function)
{
	return (void **)&real + function;
}

static int look_in(struct dl_phdr_info *info, size_t bytes, void *context)
{
	struct lookup *lookup = context;
	struct object object;

	(void)bytes;
	object_read(&object, info);
	if (object_holds(&object, (uintptr_t)&real)) {
		lookup->search = true;
		return 0;
	}
	if (!lookup->search)
		return 0;
	for (size_t i = 0; i < NR_REAL; i++) {
		void *found;

		if (__atomic_load_n(slot_of(i), __ATOMIC_RELAXED))
			continue;
		found = object_find(&object, names[i], lookup->hashes[i]);
		if (found)
			__atomic_store_n(slot_of(i), found, __ATOMIC_RELAXED);
	}
	return 0;
}

/* False while the dynamic linker has not come to us yet: the resolver of an IFUNC may allocate before. */
static bool is_relocated(void)
{
	static void *volatile own_place = (void *)&own_place;

	return own_place == (void *)&own_place;
}

void real_init(void)
{
	struct lookup lookup;
	int task;

	if (!is_relocated())
		return;
	task = (int)sys_gettid();
	if (__atomic_load_n(&looking_up, __ATOMIC_RELAXED) == task)
		return;
	__atomic_store_n(&looking_up, task, __ATOMIC_RELAXED);
	for (size_t i = 0; i < NR_REAL; i++)
		lookup.hashes[i] = symbol_hash(names[i]);
	lookup.search = false;
	dl_iterate_phdr(look_in, &lookup);	/* what comes after us; from here on all: we may have come by dlopen() */
	dl_iterate_phdr(look_in, &lookup);
	__atomic_store_n(&looking_up, 0, __ATOMIC_RELAXED);
}

void real_forget(uintptr_t begin, uintptr_t end)
{
	for (size_t i = 0; i < NR_REAL; i++)
		if ((uintptr_t)*slot_of(i) - begin < end - begin)
			__atomic_store_n(slot_of(i), NULL, __ATOMIC_RELAXED);
}

static int look_before(struct dl_phdr_info *info, size_t bytes, void *context)
{
	const char *name = context;
	struct object object;

	(void)bytes;
	object_read(&object, info);
	if (object_holds(&object, (uintptr_t)&real))
		return -1;
	return object_find(&object, name, symbol_hash(name)) ? 1 : 0;
}

bool real_is_taken(const char *name)
{
	return dl_iterate_phdr(look_before, (void *)name) > 0;
}
