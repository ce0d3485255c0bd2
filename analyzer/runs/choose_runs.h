/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All runs that were asked for. */
#ifndef INSIDEME_CHOOSE_RUNS_H
#define INSIDEME_CHOOSE_RUNS_H

#include "analyzer/runs/run.h"

/*
 * Find the runs that @names (a list that ends with NULL; empty: the newest run) mean, each once. Logs of one
 * directory that are named one by one are one run. Return: their number, to be freed by choose_free(), or -1 after an error().
 */
long choose_runs(struct run **runs, char *const *names);
void choose_free(struct run *runs, size_t nr);

#endif
