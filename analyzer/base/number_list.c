/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of whole numbers. */
#include "analyzer/base/number_list.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "analyzer/base/error.h"

static int parse_number(const char **at, uint64_t *number)
{
	char *end;

	if (!isdigit((unsigned char)**at))	/* strtoull would accept blanks and signs */
		return -1;
	errno = 0;
	*number = strtoull(*at, &end, 10);
	*at = end;
	return errno ? -1 : 0;
}

static int parse_range(const char **at, struct number_range *range)
{
	if (parse_number(at, &range->first) < 0)
		return -1;
	range->last = range->first;
	if (**at != '-')
		return 0;
	++*at;
	return parse_number(at, &range->last) < 0 || range->last < range->first ? -1 : 0;
}

int number_list_parse(struct number_list *list, const char *text)
{
	struct number_range range;

	*list = (struct number_list){ 0 };
	while (parse_range(&text, &range) == 0) {
		APPEND(list->ranges, list->nr_ranges) = range;
		if (!*text)
			return 0;
		if (*text++ != ',')
			break;
	}
	number_list_release(list);
	return -1;
}

bool number_list_has(const struct number_list *list, uint64_t number)
{
	for (size_t i = 0; i < list->nr_ranges; i++)
		if (number >= list->ranges[i].first && number <= list->ranges[i].last)
			return true;
	return false;
}

void number_list_release(struct number_list *list)
{
	free(list->ranges);
	*list = (struct number_list){ 0 };
}
