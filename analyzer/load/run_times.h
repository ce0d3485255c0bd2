/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times of functions, run by run. */
#pragma once

#include "analyzer/model/model.h"
#include "analyzer/runs/run.h"

/*
 * Set cpu_runs_ns of all functions that used CPU time. If there are several runs, set the times in parts as
 * well, to those that a report of each run alone shows. Profiles of several runs have both already. Reads all
 * single calls. If there are several runs, each is read once more, because the model has only their sums.
 */
void run_times_read(struct model *model, const struct run *runs, size_t nr_runs, const struct filter *filter);
