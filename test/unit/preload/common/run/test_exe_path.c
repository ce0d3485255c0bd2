/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload/common/run/exe_path: the executed file, without links, compared with realpath(). */

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/common/run/process_facts.h"
#include "test/unit/unit.h"

static char folder[PATH_MAX];	/* free of links */
static char path[PATH_MAX];	/* of the last in_folder() */

static char *in_folder(const char *name)
{
	assert_true((size_t)snprintf(path, sizeof(path), "%s/%s", folder, name) < sizeof(path));
	return path;
}

static void link_to(const char *target, const char *name)
{
	char *copy = strdup(target);	/* it may be of in_folder() */

	assert_int_equal(symlink(copy, in_folder(name)), 0);
	free(copy);
}

int before_all(void **state)
{
	char name[] = "/tmp/insideme-executed-XXXXXX";
	FILE *program;

	assert_non_null(realpath(mkdtemp(name), folder));
	assert_int_equal(mkdir(in_folder("bin"), 0700), 0);
	assert_int_equal(mkdir(in_folder(".hidden"), 0700), 0);
	program = fopen(in_folder("bin/app"), "w");
	assert_non_null(program);
	fclose(program);
	return 0;
}

int after_all(void **state)
{
	char command[PATH_MAX + 16];

	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}

static bool finds(char *exe, const char *executed)
{
	char *argv[] = { "app", "argument", NULL };

	return executed_path(exe, executed, 2, argv);
}

TEST(links_are_followed)
{
	static const char *const names[] = { "bin/app",	     "relative",   "absolute",	 "chain",
					     ".hidden/link", "folder/app", "folder/near" };
	char exe[PATH_MAX], expected[PATH_MAX];

	link_to("bin/app", "relative");
	link_to("folder/near", "chain");
	link_to(in_folder("bin/app"), "absolute");
	link_to("bin", "folder");
	link_to("app", "bin/near");
	link_to(in_folder("chain"), ".hidden/link");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		assert_non_null(realpath(in_folder(names[i]), expected));
		assert_true(finds(exe, in_folder(names[i])));
		assert_string_equal(exe, expected);
	}
}

TEST(what_is_not_plain_is_asked_for)
{
	static const char *const paths[] = { "",	  "app",       "./app",	     "/proc/self/exe",
					     "/dev/fd/3", "//bin/app", "/bin/./app", "/bin/../app" };
	char exe[PATH_MAX];

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		assert_false(finds(exe, paths[i]));
	assert_false(finds(exe, in_folder("not there")));
	link_to("../bin/app", ".hidden/up");
	assert_false(finds(exe, in_folder(".hidden/up")));
	link_to("/proc/self/exe", "magic");
	assert_false(finds(exe, in_folder("magic")));
	link_to("loop", "loop");
	assert_false(finds(exe, in_folder("loop")));
}

TEST(long_paths_are_asked_for)
{
	char exe[PATH_MAX], name[1024], target[513];

	memset(name, 'x', sizeof(name) - 1);
	name[0] = '/';
	name[sizeof(name) - 1] = '\0';
	assert_false(finds(exe, name));
	for (size_t i = 0; i < sizeof(target) - 1; i++)
		target[i] = "/x"[i % 2];
	target[sizeof(target) - 1] = '\0';
	link_to(target, "long");	/* 512 bytes: it may be cut */
	assert_false(finds(exe, in_folder("long")));
}

TEST(scripts_and_arguments_of_the_linker_are_asked_for)
{
	char exe[PATH_MAX], executed[PATH_MAX], same[PATH_MAX];
	char *script[] = { "sh", "-e", same, NULL }, *linked[] = { executed, NULL },
	     *called[] = { same, NULL };

	strcpy(executed, in_folder("bin/app"));
	strcpy(same, executed);
	assert_false(executed_path(exe, executed, 3, script));
	assert_true(executed_path(exe, executed, 2, script));
	assert_false(executed_path(exe, executed, 1, linked));
	assert_true(executed_path(exe, executed, 1, called));
}
