/* SPDX-License-Identifier: GPL-3.0-or-later */
/* UTF-8 in names, paths and arguments, which may contain any bytes. Pure functions. */
#ifndef INSIDEME_UTF8_H
#define INSIDEME_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Length of the well-formed character that begins at @p; 0 if there is none. */
size_t utf8_length(const char *p);

/*
 * Whether a terminal would act on the well-formed character at @p instead of showing it: C0 and C1
 * controls, DEL, and characters that change the direction of the text.
 */
bool utf8_is_control(const char *p);

/*
 * Make UTF-8 of any bytes: malformed ones become U+FFFD. @clean: room for UTF8_CLEAN_MAX times the
 * length of @text, and a 0.
 */
#define UTF8_CLEAN_MAX	3
void utf8_clean(char *clean, const char *text);

/* Drop an incomplete character at the end of @text, which was cut at some byte. */
void utf8_drop_cut(char *text);

#endif
