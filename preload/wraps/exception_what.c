/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The type of an exception, by the layout that the C++ ABI gives to type_info. Types are recognized by the
 * names of their type_info's own classes, so any C++ library will do. No function of it is called except
 * what(), and that only if it belongs to the library: a what() of the program might take a lock that is held,
 * or print.
 */
#include "preload/wraps/exception_what.h"

#include <stddef.h>

#include "preload/common/base/text.h"
#include "preload/objects/loaded_objects.h"
#include "preload/objects/next_functions.h"

#define BASES_DEEPEST	16	/* deeper inheritance is not followed: damage must not end in a loop */
#define WHAT_SLOT	2	/* in std::exception's virtual table, after its two destructors */

struct type_info {
	const void *const *vtable;	/* [-1]: type_info of the type_info's class */
	const char *name;
};

struct class_with_base {
	struct type_info type;
	const struct type_info *base;
};

#define BASE_IS_VIRTUAL		1
#define BASE_IS_PUBLIC		2
#define BASE_OFFSET_SHIFT	8
struct class_with_bases {
	struct type_info type;
	uint32_t flags;
	uint32_t nr_bases;
	struct {
		const struct type_info *type;
		long offset_flags;
	} bases[];
};

const char *type_name(const struct type_info *type)
{
	return type->name + (type->name[0] == '*');	/* compared by address only */
}

static const char *kind_of(const struct type_info *type)
{
	return type_name(type->vtable[-1]);
}

/* The base at an offset. The offset of a virtual base is in the object's own table. */
static void *base_at(void *object, long offset_flags)
{
	long offset = offset_flags >> BASE_OFFSET_SHIFT;

	if (offset_flags & BASE_IS_VIRTUAL)
		offset = *(const long *)(*(const char *const *)object + offset);
	return (char *)object + offset;
}

/* The std::exception in an object, or NULL. */
static void *find_exception(void *object, const struct type_info *type, int depth)
{
	const struct class_with_bases *with_bases = (const void *)type;

	if (text_equal(type_name(type), "St9exception"))
		return object;
	if (depth == BASES_DEEPEST)
		return NULL;
	if (text_equal(kind_of(type), "N10__cxxabiv120__si_class_type_infoE"))
		return find_exception(object, ((const struct class_with_base *)type)->base, depth + 1);
	if (!text_equal(kind_of(type), "N10__cxxabiv121__vmi_class_type_infoE"))
		return NULL;
	for (uint32_t i = 0; i < with_bases->nr_bases; i++) {
		long offset_flags = with_bases->bases[i].offset_flags;
		void *found = offset_flags & BASE_IS_PUBLIC
				      ? find_exception(base_at(object, offset_flags),
						       with_bases->bases[i].type, depth + 1)
				      : NULL;

		if (found)
			return found;
	}
	return NULL;
}

/* Without _dl_find_object() this cannot be found out without a lock. */
bool what_is_of_library(uintptr_t addr)
{
	struct object object;

	return libc._dl_find_object && object_at(libc._dl_find_object, addr, &object) == 0 &&
	       (text_begins(object.soname, "libstdc++.so.") || text_begins(object.soname, "libc++abi.so.") ||
		text_begins(object.soname, "libc++.so."));
}

const char *what_of(void *thrown, const struct type_info *type, bool calls_own, bool *is_own)
{
	void *exception = find_exception(thrown, type, 0);
	const char *(*what)(void *);

	*is_own = false;
	if (!exception)
		return NULL;
	what = (*(const char *(***)(void *))exception)[WHAT_SLOT];
	if (calls_own || what_is_of_library((uintptr_t)what))
		return what(exception);
	*is_own = true;
	return NULL;
}
