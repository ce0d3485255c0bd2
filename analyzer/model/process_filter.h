/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which processes, threads and calls of the runs are reported: all of them, or those that options name. */
#pragma once

#include "analyzer/base/number_list.h"

struct model;

enum filter_kind { FILTER_RANK, FILTER_PROCESS, FILTER_THREAD, FILTER_KINDS };

/* "4242,100-200,worker-*": numbers, names, and globs for names. */
struct name_list {
	struct number_list numbers;
	char **names;
	size_t nr_names;
	const char *text;		/* as given; NULL: not given */
};

struct filter {
	struct name_list lists[FILTER_KINDS];	/* a rank includes the processes that it started; ranks
						 * have no names */
	const char *focus, *exclude;	/* patterns of functions, see selection.h; NULL: not given */
	size_t most_depth;		/* 0: any */
	/* Of those, part @part of @nr_parts of about equal size; nr_parts: 0: all. It may be empty. */
	size_t part, nr_parts;
	bool is_raw;			/* times as recorded, with the cost of hooks */
};

/* Read the value of an option. @text must stay valid. Return: 0, or EXIT_USAGE after a line on stderr */
int filter_parse(struct filter *filter, enum filter_kind kind, const char *text);
/* "--rank 0-3 --thread worker*"; NULL: no filter. To be freed. */
char *filter_text(const struct filter *filter);
void filter_release(struct filter *filter);
/* Does it select processes or threads? */
bool filter_has_lists(const struct filter *filter);
/* Does it select calls? */
bool filter_has_selection(const struct filter *filter);
/* A list of patterns as given; NULL: it is empty. */
const char *filter_list(const char *text);

/*
 * Remove what is not selected from model->processes and model->unseen, and mark threads. Ends must be known.
 * @filter: NULL: keep all. Return: 0, or -1 after an error() if nothing is left
 */
int filter_apply(const struct filter *filter, struct model *model);
