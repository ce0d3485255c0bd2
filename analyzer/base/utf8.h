/* SPDX-License-Identifier: GPL-3.0-or-later */
/* UTF-8 in names, paths and arguments, which may contain any bytes. Widths depend on LC_CTYPE. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Length of the well-formed character that begins at @p; 0 if there is none. */
size_t utf8_length(const char *p);

struct utf8_character {
	size_t bytes;		/* 1 if it is malformed */
	size_t columns;		/* on a terminal; 1 if the locale does not know it */
	/* false: malformed, or a terminal acts on it: C0 and C1 controls, DEL, embeddings and isolates */
	bool is_shown;
};

/* The first character of a text that is not empty. */
struct utf8_character utf8_first(const char *text);

/* Columns of a text on a terminal. */
size_t utf8_columns(const char *text);

/* Drop an incomplete character at the end of @text, which was cut at some byte. */
void utf8_drop_cut(char *text);
