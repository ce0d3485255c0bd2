/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of whole numbers, as options take them: "0,2-5". */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct number_range {
	uint64_t first;
	uint64_t last;			/* included */
};

struct number_list {
	struct number_range *ranges;
	size_t nr_ranges;		/* 0: the option was not given */
};

/*
 * Parse numbers and ranges, separated by commas without blanks, in any order. Return: 0, or -1 if @text
 * is no such list; then nothing is printed or kept. Released with number_list_release().
 */
int number_list_parse(struct number_list *list, const char *text);
bool number_list_has(const struct number_list *list, uint64_t number);
void number_list_release(struct number_list *list);
