/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --list: the runs there are, with their size, program, and how they ended. */
#ifndef INSIDEME_LIST_RUNS_H
#define INSIDEME_LIST_RUNS_H

#include <stdint.h>

#include "analyzer/runs/run.h"
#include "analyzer/tables/document.h"

/* A document of the @nr @runs, which must live as long. */
void list_runs(struct document *document, const struct run *runs, size_t nr);

/* Bytes on disk of all logs of a run, wherever they live. */
uint64_t list_run_bytes(const struct run *run);

#endif
