/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which processes are reported. */
#include "filter.h"

#include <stdlib.h>

#include "error.h"
#include "model.h"

#define RANGES_TOLD 8

static bool selects_rank(const struct filter *filter, int32_t rank)
{
	return !filter->ranks.nr_ranges || (rank >= 0 && number_list_has(&filter->ranks, (uint64_t)rank));
}

static int by_number(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

/* @text and one more item; frees @text. */
static char *append(char *text, char *item)
{
	char *longer = xasprintf("%s%s%s", text, *text ? ", " : "", item);

	free(text);
	free(item);
	return longer;
}

/* "0 to 3, 5", of sorted numbers; freed by the caller. */
static char *ranges_text(const int32_t *numbers, size_t nr)
{
	char *text = xstrdup("");
	size_t last, told = 0;

	for (size_t first = 0; first < nr; first = last + 1) {
		for (last = first; last + 1 < nr && numbers[last + 1] <= numbers[last] + 1; last++)
			;
		if (told++ == RANGES_TOLD)
			return append(text, xstrdup("and more"));
		text = append(text, numbers[first] == numbers[last] ? xasprintf("%d", numbers[first]) :
				    xasprintf("%d to %d", numbers[first], numbers[last]));
	}
	return text;
}

static int no_such_rank(const struct model *model)
{
	int32_t *ranks = NULL;
	size_t nr = 0;
	char *text;

	for (size_t i = 0; i < model->nr_processes; i++) {
		if (model->processes[i]->header.rank < 0)
			continue;
		ranks = xgrow(ranks, nr, sizeof(*ranks));
		ranks[nr++] = model->processes[i]->header.rank;
	}
	if (!nr)
		return error("--rank: no process of this run has a rank");
	qsort(ranks, nr, sizeof(*ranks), by_number);
	text = ranges_text(ranks, nr);
	error("--rank: no such rank here; there is %s", text);
	free(text);
	free(ranks);
	return -1;
}

int filter_apply(const struct filter *filter, struct model *model)
{
	size_t nr = 0, nr_unseen = 0;

	if (!filter || !filter->ranks.nr_ranges)
		return 0;
	for (size_t i = 0; i < model->nr_processes; i++)
		nr += selects_rank(filter, model->processes[i]->header.rank);
	if (!nr)
		return no_such_rank(model);
	nr = 0;
	for (size_t i = 0; i < model->nr_processes; i++) {
		struct process *process = model->processes[i];

		process->left_out = !selects_rank(filter, process->header.rank);
		if (process->left_out) {
			model->left_out = xgrow(model->left_out, model->nr_left_out, sizeof(process));
			model->left_out[model->nr_left_out++] = process;
		} else {
			model->processes[nr++] = process;
		}
	}
	model->nr_processes = nr;
	for (size_t i = 0; i < model->nr_unseen; i++) {
		if (selects_rank(filter, model->unseen[i].rank))
			model->unseen[nr_unseen++] = model->unseen[i];
		else
			free(model->unseen[i].program);
	}
	model->nr_unseen = nr_unseen;
	return 0;
}

void filter_release(struct filter *filter)
{
	number_list_release(&filter->ranks);
}
