/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * starts HOW PROGRAM ARGUMENTS...: becomes PROGRAM, so that its recorder finds what it does not expect.
 *   unnamed      argv has no string, not even the program's name
 *   memfd        the program's file is memory without a name
 *   deleted      a copy in the current directory that is removed when it starts
 *   replaced     a copy in whose place another file is when it starts
 *   environment  1.5 MB of variables more, some without "=" or a name
 *   argument     an argument of 120 KiB more
 *   blocked      all signals blocked, all ignored that can be
 *   nowhere      in a directory that is removed
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

static void must(int done)
{
	if (!done) {
		perror("starts");
		exit(99);
	}
}

static void copy_to(int to, const char *path)
{
	int from = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;

	must(from >= 0 && fstat(from, &status) == 0 && sendfile(to, from, NULL, (size_t)status.st_size) == status.st_size);
	close(from);
}

static void start_memory(char **argv)
{
	int memory = memfd_create("nameless", MFD_CLOEXEC);

	must(memory >= 0);
	copy_to(memory, argv[0]);
	fexecve(memory, argv, environ);
}

static void start_copy(char **argv, const char *instead)
{
	int copy = open("copy", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);

	must(copy >= 0);
	copy_to(copy, argv[0]);
	close(copy);
	copy = open("copy", O_PATH | O_CLOEXEC);
	must(unlink("copy") == 0 && (!instead || symlink(instead, "copy") == 0));
	fexecve(copy, argv, environ);
}

static void start_laden(char **argv)
{
	enum { VARIABLES = 150, BYTES = 10000 };
	size_t had = 0;
	char **all;

	while (environ[had])
		had++;
	all = calloc(had + VARIABLES + 3, sizeof(*all));
	for (int i = 0; i < VARIABLES; i++) {
		char *text = malloc(BYTES);

		memset(text, 'v', BYTES - 1);
		text[BYTES - 1] = '\0';
		sprintf(text, "VARIABLE_%d", i);
		text[strlen(text)] = '=';
		all[i] = text;
	}
	all[VARIABLES] = "no sign of equality";
	all[VARIABLES + 1] = "=without a name";
	memcpy(all + VARIABLES + 2, environ, had * sizeof(*all));
	execve(argv[0], argv, all);
}

static void start_blocked(char **argv)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_IGN);
	execv(argv[0], argv);
}

int main(int argc, char **argv)
{
	const char *how = argv[1];
	char *program = argv[2], **rest = argv + 2;

	must(argc > 2);
	if (!strcmp(how, "unnamed")) {
		execve(program, (char *[]){ NULL }, environ);
	} else if (!strcmp(how, "memfd")) {
		start_memory(rest);
	} else if (!strcmp(how, "deleted")) {
		start_copy(rest, NULL);
	} else if (!strcmp(how, "replaced")) {
		start_copy(rest, "/bin/true");
	} else if (!strcmp(how, "environment")) {
		start_laden(rest);
	} else if (!strcmp(how, "argument")) {
		char *text = malloc(120 << 10);

		memset(text, 'x', (120 << 10) - 1);
		text[(120 << 10) - 1] = '\0';
		execl(program, program, text, NULL);
	} else if (!strcmp(how, "blocked")) {
		start_blocked(rest);
	} else if (!strcmp(how, "nowhere")) {
		must(mkdir("gone", 0700) == 0 && chdir("gone") == 0 && rmdir("../gone") == 0);
		execv(program, rest);
	}
	must(0);
}
