/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --list: all runs, with their size, program and end. */
#pragma once

#include <stdint.h>

#include "analyzer/runs/run.h"
#include "analyzer/tables/document.h"

/* Make a document of @nr @runs, which must live as long as the document. */
void list_runs(struct document *document, const struct run *runs, size_t nr);

/* Bytes on disk of all logs of a run, wherever they live. */
uint64_t list_run_bytes(const struct run *run);
