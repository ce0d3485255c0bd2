/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the logs of runs to a model. */
#pragma once

#include "analyzer/model/model.h"

/*
 * Read @nr_runs runs as one. @filter selects processes; NULL: all. A log that cannot be read is reported on
 * stderr and counted. Return: NULL after an error() if no process is left.
 */
struct model *model_load_runs(const struct run *runs, size_t nr_runs, const struct filter *filter);
/* The same for one run, or for some logs of it. */
struct model *model_load(char *const *paths, size_t nr_paths, const struct filter *filter);
/* Read only processes and how they ended: no call paths, no sums. Return: NULL if no log can be read. */
struct model *model_open(const struct run *runs, size_t nr_runs);
void model_free(struct model *model);
