/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of whole numbers as options take them: "0,2-5". */
#ifndef INSIDEME_NUMBER_LIST_H
#define INSIDEME_NUMBER_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct number_range {
	uint64_t first;
	uint64_t last;			/* included */
};

struct number_list {
	struct number_range *ranges;
	size_t nr_ranges;		/* 0: nothing was asked for */
};

/*
 * Numbers and ranges separated by commas, no blanks, in any order. Return: 0, or -1 when @text is not such a
 * list (nothing is printed, nothing is kept). Released with number_list_release().
 */
int number_list_parse(struct number_list *list, const char *text);
bool number_list_has(const struct number_list *list, uint64_t number);
void number_list_release(struct number_list *list);

#endif
