/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CPU time of functions, run by run. */
#pragma once

#include "analyzer/model/model.h"
#include "analyzer/runs/run.h"

/*
 * Set cpu_runs_ns of all functions that had any, but of runs in saved profiles, which have it already. Reads
 * all single calls; of several runs each once more, for the model has only what they have together.
 */
void run_cpu_read(struct model *model, const struct run *runs, size_t nr_runs, const struct filter *filter);
