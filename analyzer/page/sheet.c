/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of numbers and texts, packed for a page. */
#include "analyzer/page/sheet.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "analyzer/base/error.h"
#include "analyzer/base/names.h"

#define EXACT_MAX 9007199254740992.0	/* 2^53: a double holds all whole numbers up to here */
#define LEVEL 4	/* of 9: higher levels take twice the time to save 3 % */

void sheet_init(struct sheet *sheet, const char *name)
{
	*sheet = (struct sheet){ .name = xstrdup(name), .about = json_object(), .columns = json_array() };
}

json_t *page_text(const char *text)
{
	json_t *string = json_string(text);
	char *clean;

	if (string)
		return string;
	clean = utf8_cleaned(text);
	string = json_string_nocheck(clean);
	free(clean);
	return string;
}

/* How the numbers of a column are written. */
struct coding {
	bool is_real;
	bool has_none;			/* 0 stands for "none", and all numbers are one more */
	bool is_signed;			/* zigzag */
	bool is_delta;
	uint32_t width;			/* bytes of each number */
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
	struct coding coding = { .is_delta = flags & SHEET_DELTA, .is_signed = flags & SHEET_DELTA };
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

json_t *sheet_add_numbers(struct sheet *sheet, const char *name, const double *values, size_t nr,
			  unsigned int flags)
{
	struct coding coding = choose_coding(values, nr, flags);
	json_t *about = json_pack("{s:s, s:I, s:i, s:b, s:b, s:b, s:b, s:I}", "name", name, "length",
				  (json_int_t)nr, "width", (int)coding.width, "real", coding.is_real, "none",
				  coding.has_none, "signed", coding.is_signed, "delta",
				  coding.is_delta && !coding.is_real, "offset", (json_int_t)sheet->nr_bytes);
	unsigned char *bytes = xcalloc(sheet->nr_bytes + nr * coding.width + 1, 1);
	unsigned char *planes = bytes + sheet->nr_bytes;
	int64_t before = 0;

	if (sheet->nr_bytes)
		memcpy(bytes, sheet->bytes, sheet->nr_bytes);
	for (size_t i = 0; i < nr; i++) {
		uint64_t bits = encode(&coding, values[i], &before);

		for (uint32_t plane = 0; plane < coding.width; plane++)
			planes[plane * nr + i] = (unsigned char)(bits >> (8 * plane));
	}
	free(sheet->bytes);
	sheet->bytes = bytes;
	sheet->nr_bytes += nr * coding.width;
	json_array_append_new(sheet->columns, about);
	return about;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(**(char *const *const *)a, **(char *const *const *)b);
}

json_t *sheet_add_texts(struct sheet *sheet, const char *name, char *const *texts, size_t nr)
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
			json_array_append_new(list, page_text(*sorted[i]));
		numbers[sorted[i] - texts] = (double)(json_array_size(list) - 1);
	}
	about = sheet_add_numbers(sheet, name, numbers, nr, 0);
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

size_t sheet_pack(struct sheet *sheet)
{
	json_t *header = json_pack("{s:O, s:O}", "about", sheet->about, "columns", sheet->columns);
	char *text = json_dumps(header, JSON_COMPACT | JSON_REAL_PRECISION(15));
	size_t header_bytes = strlen(text), nr = 4 + header_bytes + sheet->nr_bytes;
	unsigned char *all = xcalloc(nr, 1), *small;
	uLongf small_bytes = compressBound(nr);

	for (int i = 0; i < 4; i++)
		all[i] = (unsigned char)(header_bytes >> (8 * i));
	memcpy(all + 4, text, header_bytes);
	if (sheet->nr_bytes)
		memcpy(all + 4 + header_bytes, sheet->bytes, sheet->nr_bytes);
	small = xcalloc(small_bytes, 1);
	compress2(small, &small_bytes, all, nr, LEVEL);		/* fails only without memory or room */
	free(sheet->packed);
	sheet->packed = base64(small, small_bytes, &sheet->packed_bytes);
	free(small);
	free(all);
	free(text);
	json_decref(header);
	return sheet->packed_bytes;
}

void sheet_write(const struct sheet *sheet, FILE *out)
{
	fprintf(out, "<script type=\"application/octet-stream\" data-sheet=\"%s\">", sheet->name);
	fwrite(sheet->packed, 1, sheet->packed_bytes, out);
	fputs("</script>\n", out);
}

void sheet_release(struct sheet *sheet)
{
	json_decref(sheet->about);
	json_decref(sheet->columns);
	free(sheet->name);
	free(sheet->bytes);
	free(sheet->packed);
}

const char *page_unit(enum unit unit)
{
	static const char *const names[] = {
		[UNIT_NONE] = "", [UNIT_COUNT] = "count", [UNIT_BYTES] = "bytes", [UNIT_NS] = "ns",
		[UNIT_PERCENT] = "percent", [UNIT_CORES] = "cores", [UNIT_COUNT_RATE] = "count/s",
		[UNIT_BYTES_RATE] = "bytes/s",
	};

	return names[unit];
}
