/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Objects that call other hooks than ours. With RTLD_DEEPBIND an object searches itself and libc first, and
 * libc has empty hooks. dlmopen() gives it a libc of its own. Neither is prevented: programs depend on what
 * they get.
 */
#include "preload/state/foreign_hooks.h"

#include "preload/objects/loaded_objects.h"
#include "preload/objects/next_functions.h"
#include "preload/state/live.h"

/* Since glibc 2.35. The list of namespaces begins with the program's. */
struct debug_extended {
	struct r_debug base;
	struct debug_extended *next;
};

static const struct log_header *first_log;	/* set before any thread */
static const void *our_hook;			/* set before any thread */
static uint32_t is_said;			/* reported once per process */
static uint64_t nr_objects_loaded; /* in total, as the dynamic linker counts; set before any thread */

static int look(const struct object *object, void *context)
{
	const struct link_map *only = context;
	void **slot;

	if (object_is_ours(object) || (only && object->dynamic != only->l_ld))
		return 0;
	slot = object_slot(object, "__cyg_profile_func_enter");
	/* A slot that still points into the object itself will be bound at the first call. */
	if (!slot || *slot == our_hook || object_holds(object, (uintptr_t)*slot))
		return 0;
	if (!__atomic_exchange_n(&is_said, 1, __ATOMIC_RELAXED))
		log_write_text(live.log, "bypassed", object->name[0] ? object->name : "the program",
			       now_ticks());
	return 1;
}

static bool has_namespaces(void)
{
	const struct debug_extended *debug = (const void *)linker_debug();

	load_now(debug);	/* it may change, which its type does not say */
	return debug->base.r_version > 1 && debug->next;
}

static int take_count(struct dl_phdr_info *info, size_t bytes, void *count)
{
	if (bytes >= offsetof(struct dl_phdr_info, dlpi_subs))
		*(uint64_t *)count = info->dlpi_adds;
	return 1;
}

static uint64_t count_loaded(void)
{
	uint64_t count = 0;

	libc.dl_iterate_phdr(take_count, &count);
	return count;
}

void foreign_hooks_look(const void *handle)
{
	static uint32_t namespaces_said;

	if (!live.log || live.log != first_log)
		return;
	if (has_namespaces() && !__atomic_exchange_n(&namespaces_said, 1, __ATOMIC_RELAXED))
		log_write_text(live.log, "namespaces", "dlmopen", now_ticks());
	/*
	 * At the end, do not wait for the lock on the objects: another thread may hold it and never continue.
	 */
	if (!handle && __atomic_load_n(&live.log->nr_threads, __ATOMIC_RELAXED) > 1)
		return;
	if (!__atomic_load_n(&is_said, __ATOMIC_RELAXED))
		objects_each(look, (void *)handle);
}

void foreign_hooks_init(const void *hook)
{
	our_hook = hook;
	nr_objects_loaded = count_loaded();
}

void foreign_hooks_begin(const struct log_header *log)
{
	first_log = log;
}

bool foreign_hooks_is_possible(void)
{
	return has_namespaces() || count_loaded() != nr_objects_loaded;
}
