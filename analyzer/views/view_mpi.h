/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the views of MPI. */
#pragma once

#include "analyzer/cells/cells.h"

struct document;

#define MPI_TEXT_ROWS 40

/* Did the process call MPI? */
bool mpi_has_calls(const struct process *process);
/* Did any process? */
bool mpi_is_called(const struct model *model);
/* How much of its processes' time MPI took, in a sentence; NULL: there were no calls. */
const char *mpi_lead(struct document *document, const struct model *model);
/* Why there are no rows. */
const char *mpi_none_text(const struct model *model);
/* The rank of a process, or where it has none its pid; empty for NULL. */
struct value mpi_rank_cell(const struct process *process);
