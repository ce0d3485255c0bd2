/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A list of numbers that grows, without libc. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* All 0: empty. */
struct numbers {
	uint64_t *list;
	uint64_t nr;
	uint64_t bytes;			/* of its mapping */
};

/* Return: false if there is no memory. */
bool numbers_add(struct numbers *numbers, uint64_t number);
/* Ascending. */
void numbers_sort(struct numbers *numbers);
/* How many are at most @limit; the numbers must be sorted. */
uint64_t numbers_up_to(const struct numbers *numbers, uint64_t limit);
void numbers_free(struct numbers *numbers);
