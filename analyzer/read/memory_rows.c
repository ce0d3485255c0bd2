/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process's memory over time: two sets of rows become one. */
#include "analyzer/read/memory_rows.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"

/* Where each column of the set "memory" is in the set "process". */
static bool find_columns(const struct rowset *memory, const struct rowset *process, int *columns)
{
	for (uint32_t i = 0; i < memory->nr_columns; i++) {
		columns[i] = rowset_column(process, memory->columns[i].name);
		if (columns[i] < 0)
			return false;
	}
	return true;
}

/* Of two at one time that of the set "memory" is taken; rows that could not be read do not hide older ones. */
static void merge(struct rowset *merged, const struct rowset *memory, const struct rowset *process, const int *columns)
{
	const size_t nr = memory->nr_columns;

	for (size_t i = 0, j = 0; i < memory->nr_rows || j < process->nr_rows;) {
		uint64_t *values = &merged->values[merged->nr_rows * nr];

		if (i < memory->nr_rows && (j == process->nr_rows || memory->ticks[i] <= process->ticks[j])) {
			j += j < process->nr_rows && memory->ticks[i] == process->ticks[j];
			memcpy(values, &memory->values[i * nr], nr * sizeof(*values));
			merged->ticks[merged->nr_rows++] = memory->ticks[i++];
			continue;
		}
		for (size_t k = 0; k < nr; k++)
			values[k] = rowset_value(process, j, (uint32_t)columns[k]);
		if (values[0] != LOG_NONE)
			merged->ticks[merged->nr_rows++] = process->ticks[j];
		j++;
	}
}

void memory_rows_complete(struct process *process)
{
	struct rowset *memory = process_rowset(process, "memory"), merged;
	const struct rowset *rows = process_rowset(process, "process");
	int *columns;

	if (!memory || !rows || !memory->nr_columns)
		return;
	columns = xcalloc(memory->nr_columns, sizeof(*columns));
	if (find_columns(memory, rows, columns)) {
		merged = *memory;
		merged.nr_rows = 0;
		merged.ticks = xcalloc(memory->nr_rows + rows->nr_rows + 1, sizeof(*merged.ticks));
		merged.values = xcalloc(memory->nr_rows + rows->nr_rows + 1, memory->nr_columns * sizeof(*merged.values));
		merge(&merged, memory, rows, columns);
		free(memory->ticks);
		free(memory->values);
		*memory = merged;
	}
	free(columns);
}
