/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finding the library relative to this executable. */
#include "preload/monitor/tools/library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/common/base/compiler.h"

#define NAME "libinsideme.so"
#define UNWINDER ":libgcc_s.so.1"

static const char *const places[] = { NAME, "../lib/insideme/" NAME, "../lib/" NAME };

bool own_directory(char *directory, unsigned bytes)
{
	ssize_t length = readlink("/proc/self/exe", directory, bytes - 1);
	char *slash;

	if (length <= 0)
		return false;
	directory[length] = '\0';
	slash = strrchr(directory, '/');
	if (!slash)
		return false;
	slash[1] = '\0';
	return true;
}

bool library_find(struct library *library)
{
	char directory[PATH_MAX], path[PATH_MAX + 64];

	memset(library, 0, sizeof(*library));
	if (!own_directory(directory, sizeof(directory)))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		snprintf(path, sizeof(path), "%s%s", directory, places[i]);
		if (access(path, R_OK) == 0 && realpath(path, library->path))
			return true;
	}
	library->path[0] = '\0';
	return false;
}

/* ld.so splits LD_PRELOAD at blanks and colons, and puts values in for $LIB and the like. */
bool library_make_preloadable(struct library *library)
{
	char directory[] = "/tmp/insideme-XXXXXX";

	strcpy(library->preload_path, library->path);
	if (!strpbrk(library->path, " \t\n:$"))
		return true;
	if (!mkdtemp(directory))
		return false;
	strcpy(library->link_directory, directory);
	snprintf(library->preload_path, sizeof(library->preload_path), "%s/" NAME, directory);
	if (symlink(library->path, library->preload_path) == 0)
		return true;
	library_release(library);
	return false;
}

const char *library_preload(const struct library *library, bool with_unwinder)
{
	static char preload[PATH_MAX + sizeof(UNWINDER)];

	snprintf(preload, sizeof(preload), "%s%s", library->preload_path, with_unwinder ? UNWINDER : "");
	return library->preload_path[0] ? preload : NULL;
}

void library_release(struct library *library)
{
	if (!library->link_directory[0])
		return;
	unlink(library->preload_path);
	rmdir(library->link_directory);
	library->link_directory[0] = '\0';
}
