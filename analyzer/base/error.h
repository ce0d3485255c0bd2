/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages of the analyzer on stderr, and allocation that never returns NULL. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Exit status for a wrong command line. A failure of any other kind exits with 1. */
#define EXIT_USAGE 2
/* For runs that break a rule of --gate. */
#define EXIT_GATE 3

/* Print "insideme-report: ..." on stderr. Return: -1, so that a caller can return error(...). */
int error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Print "insideme-report: warning: ..." on stderr. */
void warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Suppress errors and warnings from now on if @hidden; if they are suppressed already, they stay so.
 * Return: whether they were, for messages_show()
 */
bool messages_hide(bool hidden);
/* Print errors and warnings again, unless they @were_hidden before. */
void messages_show(bool were_hidden);

/*
 * Allocate zeroed memory for @count things of @bytes each; the caller frees it. If there is none, the
 * program reports it and exits with status 1.
 */
void *xcalloc(size_t count, size_t bytes);
char *xstrdup(const char *string);
/* printf into new memory; the caller frees it. */
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Make room for one more in an array of @count things of @bytes each. The array must be grown by this
 * function alone, from NULL and 0. New room is zeroed. Return: the array, which may have moved
 */
void *xgrow(void *array, size_t count, size_t bytes);
/* A new element at the end of an array that has @nr: APPEND(list, nr) = element. Both are evaluated again. */
#define APPEND(list, nr) (*((list) = xgrow((list), (nr), sizeof(*(list))), &(list)[(nr)++]))
/* How many of @nr things are @before the others, which they all precede; @i is the index in @before. */
#define PARTITION_POINT(i, nr, before) ({ \
	size_t low_ = 0, high_ = (nr); \
	while (low_ < high_) { \
		const size_t i = low_ + (high_ - low_) / 2; \
		if (before) \
			low_ = i + 1; \
		else \
			high_ = i; \
	} \
	low_; })

/*
 * The same for an array that is emptied and filled again and again: it never shrinks. *@room: its own, 0 at
 * first. New room is not zeroed.
 */
void *xroom(void *array, size_t count, size_t *room, size_t bytes);
