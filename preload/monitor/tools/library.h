/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where libinsideme.so is, and a path of it that LD_PRELOAD can take. */
#ifndef INSIDEME_MONITOR_LIBRARY_H
#define INSIDEME_MONITOR_LIBRARY_H

#include <limits.h>
#include <stdbool.h>

struct library {
	char path[PATH_MAX];		/* "" when there is none */
	char preload_path[PATH_MAX];	/* the same, or a link to it without blanks and colons */
	char link_directory[64];	/* private, to be removed; "" if there is no link */
};

/* The directory of the running executable, with its final slash. */
bool own_directory(char *directory, unsigned bytes);

/* Beside this executable (build tree), or in lib of the same prefix. Return: whether there is one. */
bool library_find(struct library *library);

/* Return: whether LD_PRELOAD can name it; makes a link in a private directory if it must. */
bool library_make_preloadable(struct library *library);
void library_release(struct library *library);

/*
 * What LD_PRELOAD shall name, NULL: nothing; @with_unwinder: libgcc_s.so.1 too, which programs in C do not load. Holds
 * until the next call.
 */
const char *library_preload(const struct library *library, bool with_unwinder);

#endif
