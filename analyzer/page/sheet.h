/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Columns of numbers and texts, packed for a page: by what width they need, a byte of all rows after the other,
 * compressed, base64. web/data.js reads it. As the whole of it is base64, nothing that a log says can be markup.
 */
#ifndef INSIDEME_SHEET_H
#define INSIDEME_SHEET_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct sheet {
	char *name;
	json_t *about;			/* free for what is no column; goes into the header */
	json_t *columns;
	unsigned char *bytes;
	size_t nr_bytes;
	char *packed;			/* NULL: not yet */
	size_t packed_bytes;
};

#define SHEET_DELTA 1u	/* numbers that rise, or change little: differences take less room */

/* @name: of our own, letters and dots, copied; it is not escaped. */
void sheet_init(struct sheet *sheet, const char *name);
/* A text as json, whatever its bytes. */
json_t *page_text(const char *text);
/* @nr numbers, whole or not; NAN: not known. Return: what the header says of them, to add to */
json_t *sheet_add_numbers(struct sheet *sheet, const char *name, const double *values, size_t nr, unsigned int flags);
/* @nr texts, NULL: none. Each that occurs several times is kept once. */
json_t *sheet_add_texts(struct sheet *sheet, const char *name, char *const *texts, size_t nr);
/* Compress: then no more can be added. Return: the bytes that the page grows by */
size_t sheet_pack(struct sheet *sheet);
void sheet_write(const struct sheet *sheet, FILE *out);
void sheet_release(struct sheet *sheet);

#endif
