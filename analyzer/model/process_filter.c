/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which processes and threads are reported. */
#include "analyzer/model/process_filter.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/model/model.h"

#define RANGES_SHOWN 8

static bool is_number(const char *item)
{
	return item[0] && !item[strspn(item, "0123456789-")];
}

static void name_list_release(struct name_list *list)
{
	for (size_t i = 0; i < list->nr_names; i++)
		free(list->names[i]);
	free(list->names);
	number_list_release(&list->numbers);
	*list = (struct name_list){ .text = NULL };
}

/*
 * Put names into the list and numbers into @numbers, which has room for all. Return: false if an item is
 * empty
 */
static bool split(struct name_list *list, const char *text, char *numbers)
{
	char *copy = xstrdup(text), *rest = copy, *item;
	bool good = true;

	while ((item = strsep(&rest, ",")) != NULL) {
		good = good && item[0];
		if (is_number(item)) {
			numbers = stpcpy(numbers, item);
			*numbers++ = ',';
			continue;
		}
		APPEND(list->names, list->nr_names) = xstrdup(item);
	}
	*numbers = '\0';
	free(copy);
	return good;
}

static int name_list_parse(struct name_list *list, const char *text)
{
	char *numbers = xcalloc(strlen(text) + 2, 1);
	bool good;

	name_list_release(list);	/* the last option counts */
	good = split(list, text, numbers);

	if (numbers[0])
		numbers[strlen(numbers) - 1] = '\0';
	if (numbers[0] && number_list_parse(&list->numbers, numbers) < 0)
		good = false;
	free(numbers);
	list->text = text;
	return good ? 0 : -1;
}

static bool selects(const struct name_list *list, uint64_t number, const char *name)
{
	if (!list->text || number_list_has(&list->numbers, number))
		return true;
	for (size_t i = 0; i < list->nr_names; i++)
		if (strcmp(list->names[i], name) == 0 || fnmatch(list->names[i], name, 0) == 0)
			return true;
	return false;
}

static const char *const options[FILTER_KINDS] = {
	[FILTER_RANK] = "--rank",
	[FILTER_PROCESS] = "--process",
	[FILTER_THREAD] = "--thread",
};

int filter_parse(struct filter *filter, enum filter_kind kind, const char *text)
{
	struct name_list *list = &filter->lists[kind];

	if (name_list_parse(list, text) == 0 && !(kind == FILTER_RANK && list->nr_names))
		return 0;
	name_list_release(list);
	error(kind == FILTER_RANK ? "%s: '%s' is not a list of numbers such as 0,2-5" :
	      "%s: '%s' is not a list of numbers or names such as 4242,100-200,worker*", options[kind], text);
	return EXIT_USAGE;
}

/* @text with one more option. Frees @text; NULL: none yet. */
static char *add_option(char *text, const char *option, const char *value)
{
	char *longer = xasprintf("%s%s%s %s", text ? text : "", text ? " " : "", option, value);

	free(text);
	return longer;
}

char *filter_text(const struct filter *filter)
{
	char *text = NULL, depth[32];

	for (int kind = 0; kind < FILTER_KINDS; kind++)
		if (filter->lists[kind].text)
			text = add_option(text, options[kind], filter->lists[kind].text);
	if (filter->focus)
		text = add_option(text, "--focus", filter->focus);
	if (filter->exclude)
		text = add_option(text, "--exclude", filter->exclude);
	snprintf(depth, sizeof(depth), "%zu", filter->most_depth);
	return filter->most_depth ? add_option(text, "--depth", depth) : text;
}

const char *filter_list(const char *text)
{
	return text[strspn(text, ", ")] ? text : NULL;
}

bool filter_has_selection(const struct filter *filter)
{
	return filter->focus || filter->exclude || filter->most_depth;
}

bool filter_has_lists(const struct filter *filter)
{
	for (int kind = 0; kind < FILTER_KINDS; kind++)
		if (filter->lists[kind].text)
			return true;
	return false;
}

void filter_release(struct filter *filter)
{
	for (int kind = 0; kind < FILTER_KINDS; kind++)
		name_list_release(&filter->lists[kind]);
}

static int by_number(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

/* @text with one more item. Frees @text and @item. */
static char *append(char *text, char *item)
{
	char *longer = xasprintf("%s%s%s", text, *text ? ", " : "", item);

	free(text);
	free(item);
	return longer;
}

/* "0 to 3, 5", from sorted numbers. To be freed. */
static char *ranges_text(const int32_t *numbers, size_t nr)
{
	char *text = xstrdup("");
	size_t last, shown = 0;

	for (size_t first = 0; first < nr; first = last + 1) {
		for (last = first; last + 1 < nr && numbers[last + 1] <= numbers[last] + 1; last++)
			;
		if (shown++ == RANGES_SHOWN)
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
		APPEND(ranks, nr) = model->processes[i]->header.rank;
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

/* Mark the threads that are left out. Return: false if all are */
static bool choose_threads(const struct filter *filter, struct process *process)
{
	bool any = false;

	for (size_t i = 0; i < process->nr_threads; i++) {
		struct thread *thread = process->threads[i];

		thread->left_out = !selects(&filter->lists[FILTER_THREAD], thread->tid, thread->name);
		any |= !thread->left_out;
	}
	return any;
}

static bool selects_rank(const struct filter *filter, int32_t rank)
{
	return !filter->lists[FILTER_RANK].text ||
	       (rank >= 0 && selects(&filter->lists[FILTER_RANK], (uint64_t)rank, ""));
}

static bool selects_process(const struct filter *filter, struct process *process)
{
	const struct log_header *header = &process->header;

	return selects_rank(filter, header->rank) &&
	       selects(&filter->lists[FILTER_PROCESS], header->pid, header->program) &&
	       (!filter->lists[FILTER_THREAD].text || choose_threads(filter, process));
}

static void choose_processes(const struct filter *filter, struct model *model)
{
	size_t nr = 0;

	for (size_t i = 0; i < model->nr_processes; i++) {
		struct process *process = model->processes[i];

		process->left_out = !selects_process(filter, process);
		if (process->left_out) {
			APPEND(model->left_out, model->nr_left_out) = process;
		} else {
			model->processes[nr++] = process;
		}
	}
	model->nr_processes = nr;
}

/* No threads are known of a program that did not load the library. */
static void choose_unseen(const struct filter *filter, struct model *model)
{
	size_t nr = 0;

	for (size_t i = 0; i < model->nr_unseen; i++) {
		struct unseen_process *unseen = &model->unseen[i];

		if (selects_rank(filter, unseen->rank) && !filter->lists[FILTER_THREAD].text &&
		    selects(&filter->lists[FILTER_PROCESS], unseen->pid, unseen->program))
			model->unseen[nr++] = *unseen;
		else
			free(unseen->program);
	}
	model->nr_unseen = nr;
}

static bool has_rank(const struct filter *filter, const struct model *model)
{
	for (size_t i = 0; i < model->nr_processes; i++)
		if (selects_rank(filter, model->processes[i]->header.rank))
			return true;
	return false;
}

static int choose_by_lists(const struct filter *filter, struct model *model)
{
	char *text;

	if (!filter_has_lists(filter))
		return 0;
	if (!has_rank(filter, model))
		return no_such_rank(model);
	choose_processes(filter, model);
	choose_unseen(filter, model);
	if (model->nr_processes + model->nr_unseen)
		return 0;
	text = filter_text(filter);
	error("nothing here is of %s; -v processes and -v threads list what there is", text);
	free(text);
	return -1;
}

static void choose_part(const struct filter *filter, struct model *model)
{
	const size_t nr_all = model->nr_processes;
	size_t nr = 0;

	for (size_t i = 0; i < nr_all; i++) {
		struct process *process = model->processes[i];

		process->left_out = i * filter->nr_parts / nr_all != filter->part;
		if (process->left_out)
			APPEND(model->left_out, model->nr_left_out) = process;
		else
			model->processes[nr++] = process;
	}
	model->nr_processes = nr;
}

int filter_apply(const struct filter *filter, struct model *model)
{
	if (filter && choose_by_lists(filter, model) < 0)
		return -1;
	if (filter && filter->nr_parts)
		choose_part(filter, model);
	return 0;
}
