/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds libinsideme.so, and a path of it that LD_PRELOAD can take. */
#pragma once

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct library {
	char path[PATH_MAX];		/* "" when there is none */
	char preload_path[PATH_MAX];	/* the same, or a link to it without blanks and colons */
	char mpi_preload_path[PATH_MAX];	/* libinsideme-mpi.so, beside it; "": none */
	char link_directory[64];	/* private, to be removed; "": there is no link */
};

/*
 * Look beside this executable (build tree) and in lib of the same prefix. Return: whether there is
 * a library.
 */
bool library_find(struct library *library);

/* The library for MPI is beside the library @path. @mpi_path has PATH_MAX bytes; "": there is none. */
void library_find_mpi(const char *path, char *mpi_path);

/*
 * Make a path that LD_PRELOAD can hold, by a link in a private directory if necessary. Return:
 * whether there is one.
 */
bool library_make_preloadable(struct library *library);
void library_release(struct library *library);

/*
 * The value for LD_PRELOAD, valid until the next call. @with_mpi: include libinsideme-mpi.so.
 * @with_unwinder: include libgcc_s.so.1, which programs in C do not load. Return: NULL when there is no
 * library.
 */
const char *library_preload(const struct library *library, bool with_mpi, bool with_unwinder);

enum report_use {
	REPORT_SHOWN,
	REPORT_QUIET,	/* its messages are not shown, and it waits for no server for symbols */
	REPORT_PRINTED,	/* on our stdout */
	REPORT_LIVE,	/* it waits for no server either; Ctrl-C is for the program, whose end it sees */
};

/*
 * Start it, without recording it. It writes to our stderr alone, if it is not REPORT_PRINTED.
 * @arguments: without its own name, NULL-terminated. @mask: signals as insideme-run found them.
 * Return: pid, or -errno.
 */
pid_t report_start(const char *const *arguments, const sigset_t *mask, enum report_use use);

/* Wait for its end. Return: its exit status; 1 if a signal ended it, or if there is none. */
int report_wait(pid_t pid);
