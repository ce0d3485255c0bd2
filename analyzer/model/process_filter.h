/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which processes, threads and calls of the runs are reported: all, or those that options name. */
#ifndef INSIDEME_PROCESS_FILTER_H
#define INSIDEME_PROCESS_FILTER_H

#include "analyzer/base/number_list.h"

struct model;

enum filter_kind { FILTER_RANK, FILTER_PROCESS, FILTER_THREAD, FILTER_KINDS };

/* "4242,100-200,worker-*": numbers, or names as they are or as globs. */
struct name_list {
	struct number_list numbers;
	char **names;
	size_t nr_names;
	const char *text;		/* as it was given; NULL: it was not */
};

struct filter {
	struct name_list lists[FILTER_KINDS];	/* with a rank go the processes that it started; ranks have no names */
	const char *focus, *exclude;	/* patterns of functions, see selection.h; NULL: not given */
	size_t most_depth;		/* 0: any */
	bool is_raw;			/* times as recorded */
};

/* Take the value of an option, which must stay. Return: 0, or EXIT_USAGE after a line on stderr. */
int filter_parse(struct filter *filter, enum filter_kind kind, const char *text);
/* "--rank 0-3 --thread worker*"; NULL: all. Freed by the caller. */
char *filter_text(const struct filter *filter);
void filter_release(struct filter *filter);
/* Does it name calls? */
bool filter_has_selection(const struct filter *filter);
/* A list of patterns as it was given; NULL: there is none in it. */
const char *filter_list(const char *text);

/*
 * Move what is not selected out of model->processes and model->unseen, and mark threads. Ends must be known.
 * @filter: NULL: all. Return: 0, or -1 after an error() when nothing is left.
 */
int filter_apply(const struct filter *filter, struct model *model);

#endif
