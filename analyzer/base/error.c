/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages on stderr, and allocation that never returns NULL. */
#include "analyzer/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/progress.h"
#include "analyzer/base/utf8.h"

/* Replace control characters and bytes that are not UTF-8: a message may quote a path or an argument. */
static void make_harmless(char *text)
{
	for (char *p = text; *p; ) {
		const struct utf8_character first = utf8_first(p);

		if (!first.is_shown)
			memset(p, '?', first.bytes);
		p += first.bytes;
	}
}

static bool is_hidden;

bool messages_hide(bool hidden)
{
	bool were_hidden = is_hidden;

	is_hidden |= hidden;
	return were_hidden;
}

void messages_show(bool were_hidden)
{
	is_hidden = were_hidden;
}

static void report(const char *kind, const char *format, va_list arguments)
{
	char *text;

	if (is_hidden)
		return;
	fflush(stdout);		/* keep the order where stdout and stderr go to the same place */
	if (vasprintf(&text, format, arguments) < 0)
		return;
	make_harmless(text);
	progress_clear();
	fprintf(stderr, "insideme-report: %s%s\n", kind, text);
	free(text);
}

int error(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	report("", format, arguments);
	va_end(arguments);
	return -1;
}

void warning(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	report("warning: ", format, arguments);
	va_end(arguments);
}

static void *need(void *memory)
{
	if (!memory) {
		is_hidden = false;
		error("out of memory");
		exit(1);
	}
	return memory;
}

void *xcalloc(size_t count, size_t bytes)
{
	return need(calloc(count ? count : 1, bytes));
}

char *xstrdup(const char *string)
{
	return need(strdup(string));
}

char *xasprintf(const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	return need(text);
}

/* Grows at 0, 1, 2, 4, ...: the count alone tells how much room there is. */
void *xgrow(void *array, size_t count, size_t bytes)
{
	size_t room = count ? count * 2 : 1;

	if (count & (count - 1))
		return array;
	array = need(reallocarray(array, room, bytes));
	memset((char *)array + count * bytes, 0, (room - count) * bytes);
	return array;
}

void *xroom(void *array, size_t count, size_t *room, size_t bytes)
{
	if (count < *room)
		return array;
	*room = 2 * *room + 16;
	return need(reallocarray(array, *room, bytes));
}
