/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All rows of all processes, for csv and json: time_ns,pid,program,set,id, then all columns. Columns of other
 * sets are empty.
 */
#pragma once

#include "analyzer/model/model.h"
#include "analyzer/tables/document.h"
#include "analyzer/tables/table.h"

struct reading {
	struct process *process;
	const struct rowset *rows;
	size_t row;
	const int *place;	/* [column of the table]: that of the set, -1: not in it */
};

/* All sets of rows that are shown, and where their columns are among the table's. */
struct readings {
	struct document *document;
	struct reading *sets;		/* row: the next to give out */
	size_t nr_sets;
	struct column *columns;
	size_t nr_columns;
};

/* Cut the rows of processes to model->from and model->to; resident memory from ms to ms stays whole. */
void readings_clip(const struct model *model);
/* The readings between model->from and model->to. They live as long as @document. */
struct readings *readings_collect(struct document *document, const struct model *model);
void readings_add_table(struct document *document, struct readings *readings);

/* The process of rows, as cells: the machine has no pid. */
struct value rowset_pid_cell(const struct rowset *rows, const struct process *process);
struct value rowset_program_cell(const struct rowset *rows, const struct process *process);
/* The number that tells sets of one name apart, as a cell. */
struct value rowset_id_cell(const struct rowset *rows);
