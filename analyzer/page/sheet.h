/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A sheet: named columns of numbers and texts, packed for a page. Each column takes as many bytes a number
 * as it needs; the lowest bytes of all rows come first, then the next ones. The whole is compressed and
 * written as base64, so nothing that a log contains can become markup. web/base/data.js reads it.
 */
#pragma once

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/base/units.h"

struct sheet {
	char *name;
	json_t *about;			/* whatever is no column; part of the header */
	json_t *columns;
	unsigned char *bytes;
	size_t nr_bytes;
	char *packed;			/* NULL: not packed yet */
	size_t packed_bytes;
};

#define SHEET_DELTA 1u	/* differences take less room: for numbers that rise or change little */

/* @name: letters and dots of our own choice; copied, not escaped. */
void sheet_init(struct sheet *sheet, const char *name);
/* The name of @unit in web/base/units.js. */
const char *page_unit(enum unit unit);
/* A text as json, whatever bytes it contains. */
json_t *page_text(const char *text);
/* Add a column of @nr numbers; NAN: not known. Return: its entry in the header, to be extended */
json_t *sheet_add_numbers(struct sheet *sheet, const char *name, const double *values, size_t nr,
			  unsigned int flags);
/* Add a column of @nr texts; NULL: none. A text that repeats is stored once. Return: as above */
json_t *sheet_add_texts(struct sheet *sheet, const char *name, char *const *texts, size_t nr);
/* Compress the sheet; nothing can be added afterwards. Return: by how many bytes the page grows */
size_t sheet_pack(struct sheet *sheet);
void sheet_write(const struct sheet *sheet, FILE *out);
void sheet_release(struct sheet *sheet);
