/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A list of numbers that grows, without libc. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* All 0: empty. */
struct sorted_numbers {
	uint64_t *list;
	uint64_t nr;
	uint64_t bytes;			/* of its mapping */
};

/* Return: false if there is no memory. */
bool sorted_numbers_add(struct sorted_numbers *numbers, uint64_t number);
/* Ascending. */
void sorted_numbers_sort(struct sorted_numbers *numbers);
/* How many are at most @limit; the numbers must be sorted. */
uint64_t sorted_numbers_up_to(const struct sorted_numbers *numbers, uint64_t limit);
void sorted_numbers_free(struct sorted_numbers *numbers);
