/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CPU time of functions, run by run. */
#pragma once

#include "analyzer/model/model.h"
#include "analyzer/runs/run.h"

/*
 * Set cpu_runs_ns of all functions that used CPU time. Runs in saved profiles have it already. Reads all
 * single calls. If there are several runs, each is read once more, because the model has only their sums.
 */
void run_cpu_read(struct model *model, const struct run *runs, size_t nr_runs, const struct filter *filter);
