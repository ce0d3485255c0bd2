/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which processes of the runs are reported: all, or those that options name. */
#ifndef INSIDEME_FILTER_H
#define INSIDEME_FILTER_H

#include "number_list.h"

struct model;

struct filter {
	struct number_list ranks;	/* --rank; with a rank go the processes that it started */
};

/*
 * Move what is not selected out of model->processes and model->unseen. Ends must be known.
 * @filter: NULL: all. Return: 0, or -1 after an error() that names what there is when nothing is left.
 */
int filter_apply(const struct filter *filter, struct model *model);
void filter_release(struct filter *filter);

#endif
