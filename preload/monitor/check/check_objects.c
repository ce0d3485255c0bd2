/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hooks, names, allocator and sanitizer of a program. */
#include "preload/monitor/check/check_objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/common/base/compiler.h"

#define HOOK "__cyg_profile_func_enter"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* libc offers hooks that do nothing; a program that has its own keeps them. */
static bool calls_hooks(const struct object_of *object)
{
	return elf_file_symbol(&object->elf, HOOK) == ELF_SYMBOL_USED;
}

static void count_hooks(const struct objects_of *objects, struct finding *finding)
{
	char names[300] = "";
	size_t used = 0;
	int nr = 0;

	for (int i = 0; i < objects->nr; i++) {
		if (!calls_hooks(&objects->list[i]))
			continue;
		if (nr++ < 5 && used < sizeof(names) - 70)
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%.60s", used ? ", " : "",
						 base_name(objects->list[i].path));
	}
	if (nr)
		finding_set(finding, WORKS, NULL, "hooks in %d of %d objects: %s%s", nr, objects->nr, names,
			    nr > 5 ? ", ..." : "");
}

void check_functions(const struct check *check, const struct objects_of *objects, struct finding *finding)
{
	static const char *const advice = "compile and link with insideme-cc, or -g -finstrument-functions";
	const struct object_of *program = &objects->list[0];

	(void)check;
	finding_set(finding, WORKS_NOT, advice, "no hooks: memory, CPU time and I/O of the whole only");
	if (elf_file_symbol(&program->elf, HOOK) == ELF_SYMBOL_DEFINED)
		finding_set(finding, WORKS_NOT, "leave its " HOOK " out", "the program defines the hooks itself");
	else if (elf_file_symbol(&program->elf, "mcount"))
		finding_set(finding, WORKS_NOT, "use -finstrument-functions instead", "built with -pg (mcount)");
	else if (elf_file_symbol(&program->elf, "__fentry__"))
		finding_set(finding, WORKS_NOT, "use -finstrument-functions instead", "built with -pg -mfentry");
	else if (elf_file_has_section(&program->elf, "xray_instr_map"))
		finding_set(finding, WORKS_NOT, "use -finstrument-functions instead", "built for XRay");
	if (elf_file_symbol(&program->elf, HOOK) != ELF_SYMBOL_DEFINED)
		count_hooks(objects, finding);
}

/* A debug file of Debian's and others' kind, by build-id. */
static bool has_debug_file(const struct object_of *object, char *path, size_t bytes)
{
	char id[160];

	if (!elf_file_build_id(&object->elf, id, sizeof(id)))
		return false;
	snprintf(path, bytes, "/usr/lib/debug/.build-id/%s.debug", id);
	return access(path, R_OK) == 0;
}

void check_names(const struct check *check, const struct objects_of *objects, struct finding *finding)
{
	const struct object_of *object = &objects->list[0];
	const char *name;
	char path[PATH_MAX];

	(void)check;
	for (int i = 0; i < objects->nr && !calls_hooks(object); i++) {
		if (calls_hooks(&objects->list[i]))
			object = &objects->list[i];
	}
	name = base_name(object->path);
	if (elf_file_has_section(&object->elf, ".debug_info"))
		finding_set(finding, WORKS, NULL, "debug information in %.100s", name);
	else if (has_debug_file(object, path, sizeof(path)))
		finding_set(finding, WORKS, NULL, "debug information in %.300s", path);
	else if (elf_file_has_section(&object->elf, ".gnu_debuglink"))
		finding_set(finding, WORKS, NULL, "debug information in the file that %.100s links to, if it is there", name);
	else if (elf_file_has_section(&object->elf, ".symtab"))
		finding_set(finding, WORKS_IN_PART, "compile with -g", "functions without file and line in %.100s", name);
	else
		finding_set(finding, WORKS_IN_PART, "compile with -g, do not strip", "exported functions only: %.100s is stripped",
			    name);
}

void check_heap(const struct check *check, const struct objects_of *objects, struct finding *finding)
{
	static const char *const allocators[] = { "libjemalloc", "libtcmalloc", "libmimalloc" };

	(void)check;
	finding_set(finding, WORKS, NULL, "malloc of libc");
	for (int i = 0; i < objects->nr; i++) {
		for (size_t k = 0; k < ARRAY_SIZE(allocators); k++) {
			if (!strncmp(base_name(objects->list[i].path), allocators[k], strlen(allocators[k])))
				finding_set(finding, WORKS, NULL, "malloc of %.100s", base_name(objects->list[i].path));
		}
	}
	if (elf_file_symbol(&objects->list[0].elf, "__asan_init") || elf_file_symbol(&objects->list[0].elf, "__tsan_init"))
		finding_set(finding, WORKS_NOT, NULL, "the sanitizer's malloc: the heap is not counted");
	else if (elf_file_symbol(&objects->list[0].elf, "malloc") == ELF_SYMBOL_DEFINED)
		finding_set(finding, WORKS_NOT, "link the allocator as a shared library",
			    "the program defines malloc itself: the heap is not counted");
}

/* gcc's AddressSanitizer ends a program into which something was loaded before it, unless told not to look. */
void check_sanitizer(const struct check *check, const struct objects_of *objects, struct finding *finding)
{
	static const char *const others[][2] = {
		{ "__tsan_init", "ThreadSanitizer" },
		{ "__msan_init", "MemorySanitizer" },
		{ "__ubsan_handle_type_mismatch_v1", "UndefinedBehaviorSanitizer" },
	};
	const char *options = getenv("ASAN_OPTIONS");
	bool is_shared = elf_file_symbol(&objects->list[0].elf, "__asan_init") == ELF_SYMBOL_USED;

	(void)check;
	finding_set(finding, WORKS, NULL, "none");
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		if (elf_file_symbol(&objects->list[0].elf, others[i][0]))
			finding_set(finding, WORKS, NULL, "%s", others[i][1]);
	}
	if (elf_file_symbol(&objects->list[0].elf, "__asan_init"))
		finding_set(finding, WORKS, NULL, "AddressSanitizer%s", is_shared ? ", which was told not to look at the order" : "");
	if (!is_shared || (options && strstr(options, "verify_asan_link_order=0")))
		return;
	finding_set(finding, WORKS_NOT, "set ASAN_OPTIONS=verify_asan_link_order=0",
		    "AddressSanitizer as a shared library ends the program when it is not loaded first");
	finding->is_fatal = true;
}
