/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The executable of this process by what was executed. */
#include "preload/common/run/exe_path.h"

#include <errno.h>

#include "preload/common/base/syscalls.h"
#include "preload/common/base/text.h"

#define PATH_BYTES	512	/* longer ones /proc has to tell: a start touches few pages of the stack */
#define LINKS_MAX	40	/* as in the kernel */

/* A script is an argument of the interpreter that the kernel executes; the dynamic linker, if called, says its first argument. */
static bool is_argument(const char *executed, int argc, char *const *argv)
{
	for (int i = 0; i < argc && argv[i]; i++)
		if (argv[i] == executed || (i && text_equal(argv[i], executed)))
			return true;
	return false;
}

/* Absolute, without "//", "/./" and "/../", and nothing that is another thing for each process. */
static bool is_plain(const char *path)
{
	if (path[0] != '/' || text_begins(path, "/proc/") || text_begins(path, "/dev/"))
		return false;
	for (const char *p = path; *p; p++)
		if (text_begins(p, "//") || text_begins(p, "/./") || text_begins(p, "/../"))
			return false;
	return true;
}

/* The first link on the way to @path, which ends at *@bytes. Return: length of its @target, -EINVAL: there is none; -errno. */
static long read_first_link(char *path, size_t *bytes, char *target)
{
	for (char *p = path + 1;; p++) {
		const char c = *p;
		long length;

		if (c && c != '/')
			continue;
		*p = '\0';
		length = sys_readlink(path, target, PATH_BYTES);
		*p = c;
		*bytes = (size_t)(p - path);
		if (!c || length != -EINVAL)
			return length;
	}
}

/* Put @target in the place of the link in @path that ends at @bytes. False: there is no room. */
static bool replace(char *path, size_t bytes, const char *target, size_t length)
{
	char replaced[PATH_BYTES];
	size_t directory = bytes;
	struct text text;

	while (path[directory - 1] != '/')
		directory--;
	text_init(&text, replaced, sizeof(replaced));
	if (target[0] != '/')
		text_add_bytes(&text, path, directory);
	text_add_bytes(&text, target, length);
	text_add(&text, path + bytes);
	text_copy(path, PATH_BYTES, replaced);
	return !text.cut;
}

bool executed_path(char *exe, const char *executed, int argc, char *const *argv)
{
	char target[PATH_BYTES];
	size_t bytes;
	long length;

	if (is_argument(executed, argc, argv) || text_length(executed) >= PATH_BYTES)
		return false;
	text_copy(exe, PATH_BYTES, executed);
	for (int links = 0; links < LINKS_MAX && is_plain(exe); links++) {
		length = read_first_link(exe, &bytes, target);
		if (length < 0 || !replace(exe, bytes, target, (size_t)length))
			return length == -EINVAL;
	}
	return false;
}
