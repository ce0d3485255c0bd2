/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where lines of text end. */
#ifndef INSIDEME_WRAP_H
#define INSIDEME_WRAP_H

#include <stddef.h>

/*
 * Bytes of @text in its first line: up to a newline, or the last blank before @width columns. Commands to be pasted,
 * as "insideme-report -v functions RUN", stay whole, however long they are: up to a newline, two blanks or one of ",;:" and a blank.
 */
size_t wrap_length(const char *text, size_t width);

#endif
