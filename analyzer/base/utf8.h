/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes as characters: names, paths and arguments can be any bytes. Pure functions. */
#ifndef INSIDEME_UTF8_H
#define INSIDEME_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the well-formed UTF-8 character that begins at @p, 0 if none does. */
size_t utf8_length(const char *p);

/*
 * Whether a terminal would act on the well-formed character at @p instead of showing it: C0 and C1 controls, DEL,
 * and those that turn the direction of the text around.
 */
bool utf8_is_control(const char *p);

/* Any bytes as UTF-8: what is none becomes U+FFFD. @clean: room for UTF8_CLEAN_MAX times the text's bytes, and a 0 */
#define UTF8_CLEAN_MAX	3
void utf8_clean(char *clean, const char *text);

/* @text was cut after some number of bytes: drop the character that it ends within. */
void utf8_drop_cut(char *text);

#endif
