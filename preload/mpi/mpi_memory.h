/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory and text of our own. The program's malloc() would count the memory as the program's. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

/* Whole pages, all 0. NULL: there are none. */
static inline void *pages_new(size_t bytes)
{
	void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return pages == MAP_FAILED ? NULL : pages;
}

/* NULL: nothing */
static inline void pages_free(void *pages, size_t bytes)
{
	if (pages)
		munmap(pages, bytes);
}

/* Append @more at @at, with a 0 behind it, cut at @end. Return: the end of the text */
static inline char *text_add(char *at, const char *end, const char *more)
{
	while (at + 1 < end && *more)
		*at++ = *more++;
	*at = '\0';
	return at;
}

static inline char *text_add_number(char *at, const char *end, int64_t number)
{
	char digits[24], *first = digits + sizeof(digits) - 1;
	uint64_t left = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;

	*first = '\0';
	do
		*--first = (char)('0' + left % 10);
	while (left /= 10);
	if (number < 0)
		*--first = '-';
	return text_add(at, end, first);
}
