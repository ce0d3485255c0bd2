/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Columns of numbers and texts, packed for a page: by what width they need, a byte of all rows after the other,
 * compressed, base64. web/data.js reads it. As the whole of it is base64, nothing that a log says can be markup.
 */
#ifndef INSIDEME_BLOCK_H
#define INSIDEME_BLOCK_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct block {
	char *name;
	json_t *about;			/* free for what is no column; goes into the header */
	json_t *columns;
	unsigned char *bytes;
	size_t nr_bytes;
	char *packed;			/* NULL: not yet */
	size_t packed_bytes;
};

#define BLOCK_DELTA 1u	/* numbers that rise, or change little: differences take less room */

/* @name: of our own, letters and dots, copied; it is not escaped. */
void block_init(struct block *block, const char *name);
/* A text as json, whatever its bytes. */
json_t *block_text(const char *text);
/* @nr numbers, whole or not; NAN: not known. Return: what the header says of them, to add to */
json_t *block_add_numbers(struct block *block, const char *name, const double *values, size_t nr, unsigned int flags);
/* @nr texts, NULL: none. Each that occurs several times is kept once. */
json_t *block_add_texts(struct block *block, const char *name, char *const *texts, size_t nr);
/* Compress: then no more can be added. Return: the bytes that the page grows by */
size_t block_pack(struct block *block);
void block_write(const struct block *block, FILE *out);
void block_release(struct block *block);

#endif
