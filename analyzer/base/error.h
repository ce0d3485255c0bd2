/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages of the analyzer on stderr, and allocation that does not return without memory. */
#ifndef INSIDEME_ERROR_H
#define INSIDEME_ERROR_H

#include <stdbool.h>
#include <stddef.h>

/* Exit status of a wrong command line; 1 is what could not be done. */
#define EXIT_USAGE 2

/* "insideme-report: ..." and a newline on stderr. Return: -1, so that callers can return error(...). */
int error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "insideme-report: warning: ..." on stderr. */
void warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Neither is printed from now on, or both are again. */
void messages_hide(bool hidden);

/*
 * Zeroed memory for @count things of @bytes each; never NULL: without memory the program says so and exits
 * with status 1. Freed with free().
 */
void *xcalloc(size_t count, size_t bytes);
char *xstrdup(const char *string);
/* printf into new memory. */
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Room for one more in an array of @count things of @bytes each that was built by this function alone
 * (@array NULL and @count 0 at first); what is new is zeroed. Return: the array, moved perhaps.
 */
void *xgrow(void *array, size_t count, size_t bytes);

#endif
