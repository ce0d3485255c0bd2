/* SPDX-License-Identifier: MIT */
/*
 * The compiler's coverage counters call this: it takes libgcov's place in programs that insideme-cc --lines
 * links. Nothing is written. The recorder, if it is loaded, copies the counters into its log; without it
 * they only count. Each object, the program or a library, has its own.
 */
#include <stdarg.h>
#include <sys/types.h>
#include <unistd.h>

#include "insideme.h"

#define OWN __attribute__((visibility("hidden")))

/* The head of gcc's struct gcov_info. */
struct unit {
	uint32_t format;
	struct unit *next;
};

static struct unit *units;

/* Counters begin before other constructors. */
static const struct insideme_recorder *recorder(void)
{
	insideme_look_up();
	return insideme_link.recorder && insideme_link.recorder->bytes >= sizeof(struct insideme_recorder)
		       ? insideme_link.recorder
		       : NULL;
}

OWN void __gcov_init(struct unit *unit);
OWN void __gcov_init(struct unit *unit)
{
	const struct insideme_recorder *own = recorder();

	unit->next = units;
	units = unit;
	if (own)
		own->lines_begin(unit);
}

/* The object is unloaded, or the program ends. Called for each unit. */
OWN void __gcov_exit(void);
OWN void __gcov_exit(void)
{
	const struct insideme_recorder *own = recorder();

	for (; units; units = units->next)
		if (own)
			own->lines_end(units);
}

/* Only its address is used. */
OWN void __gcov_merge_add(int64_t *counters, unsigned int nr);
OWN void __gcov_merge_add(int64_t *counters, unsigned int nr)
{
	(void)counters;
	(void)nr;
}

/* ---- what the compiler calls in place of libc's functions ---- */

OWN pid_t __gcov_fork(void);
OWN pid_t __gcov_fork(void)
{
	return fork();
}

static void before_exec(void)
{
	const struct insideme_recorder *own = recorder();

	if (own)
		own->lines_copy();
}

OWN int __gcov_execv(const char *path, char *const arguments[]);
OWN int __gcov_execv(const char *path, char *const arguments[])
{
	before_exec();
	return execv(path, arguments);
}

OWN int __gcov_execvp(const char *file, char *const arguments[]);
OWN int __gcov_execvp(const char *file, char *const arguments[])
{
	before_exec();
	return execvp(file, arguments);
}

OWN int __gcov_execve(const char *path, char *const arguments[], char *const environment[]);
OWN int __gcov_execve(const char *path, char *const arguments[], char *const environment[])
{
	before_exec();
	return execve(path, arguments, environment);
}

typedef int exec_function(const char *path, char *const arguments[], char *const environment[]);

/* The arguments become an array in this frame: a vfork child must not allocate. */
static int exec_list(exec_function *exec, const char *path, char *first, va_list *rest, int has_environment)
{
	size_t nr = 1;
	va_list again;

	va_copy(again, *rest);
	for (char *argument = first; argument; argument = va_arg(again, char *))
		nr++;
	va_end(again);
	char *arguments[nr];

	for (size_t i = 0; i < nr; i++)
		arguments[i] = i ? va_arg(*rest, char *) : first;
	before_exec();
	return exec(path, arguments, has_environment ? va_arg(*rest, char *const *) : environ);
}

OWN int __gcov_execl(const char *path, char *first, ...);
OWN int __gcov_execl(const char *path, char *first, ...)
{
	va_list rest;
	int result;

	va_start(rest, first);
	result = exec_list(execve, path, first, &rest, 0);
	va_end(rest);
	return result;
}

OWN int __gcov_execlp(const char *file, char *first, ...);
OWN int __gcov_execlp(const char *file, char *first, ...)
{
	va_list rest;
	int result;

	va_start(rest, first);
	result = exec_list(execvpe, file, first, &rest, 0);
	va_end(rest);
	return result;
}

OWN int __gcov_execle(const char *path, char *first, ...);
OWN int __gcov_execle(const char *path, char *first, ...)
{
	va_list rest;
	int result;

	va_start(rest, first);
	result = exec_list(execve, path, first, &rest, 1);
	va_end(rest);
	return result;
}
