/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns, packed for a page. */
#include "analyzer/page/block.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "analyzer/base/error.h"
#include "analyzer/base/utf8.h"

#define EXACT_MAX 9007199254740992.0	/* 2^53: whole numbers up to here are exact in a double */
#define LEVEL 4	/* of 9: what is beyond costs twice the time for 3 % */

void block_init(struct block *block, const char *name)
{
	*block = (struct block){ .name = xstrdup(name), .about = json_object(), .columns = json_array() };
}

json_t *block_text(const char *text)
{
	json_t *string = json_string(text);
	char *clean;

	if (string)
		return string;
	clean = xcalloc(strlen(text) + 1, UTF8_CLEAN_MAX);
	utf8_clean(clean, text);
	string = json_string_nocheck(clean);
	free(clean);
	return string;
}

/* How a column of numbers is written. */
struct coding {
	bool is_real;
	bool has_none;			/* then 0 is none, and all others are one more */
	bool is_signed;			/* zigzag */
	bool is_delta;
	uint32_t width;			/* bytes each */
};

static uint64_t encode(const struct coding *coding, double value, int64_t *before)
{
	uint64_t bits;
	int64_t number;

	if (coding->is_real) {
		memcpy(&bits, &value, sizeof(bits));
		return bits;
	}
	if (isnan(value))
		return 0;
	number = (int64_t)value;
	if (coding->is_delta) {
		number -= *before;
		*before = (int64_t)value;
	}
	bits = coding->is_signed ? ((uint64_t)number << 1) ^ (uint64_t)(number >> 63) : (uint64_t)number;
	return bits + coding->has_none;
}

static inline bool is_whole(double value)
{
	return fabs(value) <= EXACT_MAX && (double)(int64_t)value == value;
}

static struct coding choose_coding(const double *values, size_t nr, unsigned int flags)
{
	struct coding coding = { .is_delta = flags & BLOCK_DELTA, .is_signed = flags & BLOCK_DELTA };
	uint64_t largest = 0;
	int64_t before = 0;

	for (size_t i = 0; i < nr; i++) {
		coding.has_none |= isnan(values[i]);
		coding.is_signed |= values[i] < 0;
		coding.is_real |= !isnan(values[i]) && !is_whole(values[i]);
	}
	if (coding.is_real)
		return (struct coding){ .is_real = true, .width = 8 };
	for (size_t i = 0; i < nr; i++) {
		uint64_t bits = encode(&coding, values[i], &before);

		largest = bits > largest ? bits : largest;
	}
	for (coding.width = 1; coding.width < 8 && largest >> (8 * coding.width); coding.width++)
		;
	return coding;
}

json_t *block_add_numbers(struct block *block, const char *name, const double *values, size_t nr, unsigned int flags)
{
	struct coding coding = choose_coding(values, nr, flags);
	json_t *about = json_pack("{s:s, s:I, s:i, s:b, s:b, s:b, s:b, s:I}", "name", name, "length", (json_int_t)nr,
		"width", (int)coding.width, "real", coding.is_real, "none", coding.has_none, "signed", coding.is_signed,
		"delta", coding.is_delta && !coding.is_real, "offset", (json_int_t)block->nr_bytes);
	unsigned char *bytes = xcalloc(block->nr_bytes + nr * coding.width + 1, 1);
	unsigned char *planes = bytes + block->nr_bytes;
	int64_t before = 0;

	if (block->nr_bytes)
		memcpy(bytes, block->bytes, block->nr_bytes);
	for (size_t i = 0; i < nr; i++) {
		uint64_t bits = encode(&coding, values[i], &before);

		for (uint32_t plane = 0; plane < coding.width; plane++)
			planes[plane * nr + i] = (unsigned char)(bits >> (8 * plane));
	}
	free(block->bytes);
	block->bytes = bytes;
	block->nr_bytes += nr * coding.width;
	json_array_append_new(block->columns, about);
	return about;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(**(char *const *const *)a, **(char *const *const *)b);
}

json_t *block_add_texts(struct block *block, const char *name, char *const *texts, size_t nr)
{
	char *const **sorted = xcalloc(nr + 1, sizeof(*sorted));
	double *numbers = xcalloc(nr + 1, sizeof(*numbers));
	json_t *list = json_array(), *about;
	size_t nr_sorted = 0;

	for (size_t i = 0; i < nr; i++) {
		numbers[i] = NAN;
		if (texts[i])
			sorted[nr_sorted++] = &texts[i];
	}
	qsort(sorted, nr_sorted, sizeof(*sorted), compare_texts);
	for (size_t i = 0; i < nr_sorted; i++) {
		if (i == 0 || strcmp(*sorted[i], *sorted[i - 1]) != 0)
			json_array_append_new(list, block_text(*sorted[i]));
		numbers[sorted[i] - texts] = (double)(json_array_size(list) - 1);
	}
	about = block_add_numbers(block, name, numbers, nr, 0);
	json_object_set_new(about, "texts", list);
	free(sorted);
	free(numbers);
	return about;
}

/* RFC 4648. */
static char *base64(const unsigned char *bytes, size_t nr, size_t *length)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *text = xcalloc((nr + 2) / 3 * 4 + 1, 1), *at = text;

	for (size_t i = 0; i < nr; i += 3) {
		uint32_t three = (uint32_t)bytes[i] << 16 | (i + 1 < nr ? (uint32_t)bytes[i + 1] << 8 : 0) |
			(i + 2 < nr ? bytes[i + 2] : 0);

		*at++ = digits[three >> 18];
		*at++ = digits[three >> 12 & 63];
		*at++ = i + 1 < nr ? digits[three >> 6 & 63] : '=';
		*at++ = i + 2 < nr ? digits[three & 63] : '=';
	}
	*length = (size_t)(at - text);
	return text;
}

size_t block_pack(struct block *block)
{
	json_t *header = json_pack("{s:O, s:O}", "about", block->about, "columns", block->columns);
	char *text = json_dumps(header, JSON_COMPACT | JSON_REAL_PRECISION(15));
	size_t header_bytes = strlen(text), nr = 4 + header_bytes + block->nr_bytes;
	unsigned char *all = xcalloc(nr, 1), *small;
	uLongf small_bytes = compressBound(nr);

	for (int i = 0; i < 4; i++)
		all[i] = (unsigned char)(header_bytes >> (8 * i));
	memcpy(all + 4, text, header_bytes);
	if (block->nr_bytes)
		memcpy(all + 4 + header_bytes, block->bytes, block->nr_bytes);
	small = xcalloc(small_bytes, 1);
	compress2(small, &small_bytes, all, nr, LEVEL);		/* fails only without memory or room */
	free(block->packed);
	block->packed = base64(small, small_bytes, &block->packed_bytes);
	free(small);
	free(all);
	free(text);
	json_decref(header);
	return block->packed_bytes;
}

void block_write(const struct block *block, FILE *out)
{
	fprintf(out, "<script type=\"application/octet-stream\" data-block=\"%s\">", block->name);
	fwrite(block->packed, 1, block->packed_bytes, out);
	fputs("</script>\n", out);
}

void block_release(struct block *block)
{
	json_decref(block->about);
	json_decref(block->columns);
	free(block->name);
	free(block->bytes);
	free(block->packed);
}
