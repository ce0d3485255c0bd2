/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/cells/readings.h"

#include <string.h>

#include "analyzer/cells/cells.h"
#include "analyzer/model/process_usage.h"
#include "analyzer/read/machine_rows.h"
#include "analyzer/resources/series.h"

#define COLUMNS_MAX	1024

struct value rowset_pid_cell(const struct rowset *rows, const struct process *process)
{
	return rowset_is_of_machine(rows) ? value_empty() : value_integer(UNIT_NONE, process->header.pid);
}

struct value rowset_program_cell(const struct rowset *rows, const struct process *process)
{
	return value_text(rowset_is_of_machine(rows) ? machine_name(process) : process->header.program);
}

struct value rowset_id_cell(const struct rowset *rows)
{
	return rows->id ? value_integer(UNIT_NONE, rows->id) : value_empty();
}

enum {
	READING_TIME, READING_PID, READING_PROGRAM, READING_SET, READING_ID, READING_COLUMNS,
	READING_RUN = COLUMNS_MAX,
};

static struct value get_reading(const struct column *column, const void *row)
{
	const struct reading *reading = row;
	const struct log_column *of;
	uint64_t value;
	int place;

	switch (column->index) {
	case READING_TIME:
		return value_integer(UNIT_NS, row_time(reading->process, reading->rows, reading->row));
	case READING_PID:
		return rowset_pid_cell(reading->rows, reading->process);
	case READING_PROGRAM:
		return rowset_program_cell(reading->rows, reading->process);
	case READING_SET:
		return value_text(reading->rows->set);
	case READING_ID:
		return rowset_id_cell(reading->rows);
	case READING_RUN:
		return who_cell(reading->process, NULL, WHO_RUN);
	}
	place = reading->place[column->index - READING_COLUMNS];
	if (place < 0)
		return value_empty();
	of = &reading->rows->columns[place];
	value = rowset_value(reading->rows, reading->row, (uint32_t)place);
	if (value == LOG_NONE)
		return value_empty();
	return of->unit == LOG_UNIT_MILLI || of->unit == LOG_UNIT_REAL
		       ? value_real(UNIT_NONE, series_value(of, value))
		       : value_integer(series_unit(of, false), (int64_t)value);
}

static bool next_reading(struct table *table, void *row)
{
	struct readings *readings = table->source;

	for (; table->at < readings->nr_sets; table->at++) {
		struct reading *set = &readings->sets[table->at];

		if (set->row < set->rows->nr_rows) {
			memcpy(row, set, sizeof(*set));
			set->row++;
			return true;
		}
		set->row = 0;
	}
	table->at = 0;
	return false;
}

/* A source that is not there has no column. */
static bool is_known(const struct rowset *rows, uint32_t column)
{
	for (size_t row = 0; row < rows->nr_rows; row++)
		if (rowset_value(rows, row, column) != LOG_NONE)
			return true;
	return false;
}

static void add_columns(struct readings *readings, const struct rowset *rows)
{
	for (uint32_t i = 0; i < rows->nr_columns; i++) {
		struct table so_far = { .columns = readings->columns, .nr_columns = readings->nr_columns };
		const char *name = rows->columns[i].name;

		if (readings->nr_columns == COLUMNS_MAX || table_find_column(&so_far, name, strlen(name)) ||
		    !is_known(rows, i))
			continue;
		readings->columns[readings->nr_columns] = (struct column){
			name, name, 0, get_reading, readings->nr_columns
		};
		readings->nr_columns++;
	}
}

/* Clock readings are not resources; "memory" is what "process" has, only more often, for single calls. */
static bool is_shown(const struct rowset *rows)
{
	return strcmp(rows->set, "clock") != 0 && strcmp(rows->set, "memory") != 0;
}

static void add_sets(struct readings *readings, struct process *process, bool of_machine)
{
	for (size_t i = 0; i < process->nr_rowsets; i++) {
		struct rowset *rows = &process->rowsets[i];

		if (!is_shown(rows) || rowset_is_of_machine(rows) != of_machine)
			continue;
		add_columns(readings, rows);
		readings->sets[readings->nr_sets++] = (struct reading){ .process = process, .rows = rows };
	}
}

static void place_columns(struct readings *readings)
{
	for (size_t i = 0; i < readings->nr_sets; i++) {
		int *place = document_new(readings->document, (readings->nr_columns + 1) * sizeof(*place));

		for (size_t j = READING_COLUMNS; j < readings->nr_columns; j++)
			place[j - READING_COLUMNS] =
				rowset_column(readings->sets[i].rows, readings->columns[j].name);
		readings->sets[i].place = place;
	}
}

static size_t count_sets(const struct model *model)
{
	size_t nr = 0;

	for (size_t i = 0; i < model->nr_processes; i++)
		nr += model->processes[i]->nr_rowsets;
	for (size_t i = 0; i < model->nr_monitors; i++)
		nr += model->monitors[i]->nr_rowsets;
	return nr;
}

static void clip_process(struct process *process)
{
	const struct model *model = process->model;

	for (size_t i = 0; i < process->nr_rowsets; i++)
		if (is_shown(&process->rowsets[i]))
			rowset_clip(&process->rowsets[i], process_ticks(process, model->from),
				    process_ticks(process, model->to));
	usage_forget_rows(process);
}

void readings_clip(const struct model *model)
{
	if (model->from <= 0 && model->to >= model->end)
		return;
	for (size_t i = 0; i < model->nr_processes; i++)
		clip_process(model->processes[i]);
	for (size_t i = 0; i < model->nr_monitors; i++)
		clip_process(model->monitors[i]);
}

struct readings *readings_collect(struct document *document, const struct model *model)
{
	static const struct column first[READING_COLUMNS] = {
		{ "time_ns", "Time", 0, get_reading, READING_TIME },
		{ "pid", "Pid", 0, get_reading, READING_PID },
		{ "program", "Program", COLUMN_LEFT, get_reading, READING_PROGRAM },
		{ "set", "Set", COLUMN_LEFT, get_reading, READING_SET },
		{ "id", "Id", 0, get_reading, READING_ID },
	};
	struct readings *readings = document_new(document, sizeof(*readings));

	readings->document = document;
	readings->sets = document_new(document, (count_sets(model) + 1) * sizeof(*readings->sets));
	readings->columns = document_new(document, (COLUMNS_MAX + 1) * sizeof(*readings->columns));
	memcpy(readings->columns, first, sizeof(first));
	readings->nr_columns = READING_COLUMNS;
	readings_clip(model);
	for (size_t i = 0; i < 2 * model->nr_processes; i++)
		add_sets(readings, model->processes[i % model->nr_processes], i >= model->nr_processes);
	for (size_t i = 0; i < 2 * model->nr_monitors; i++)
		add_sets(readings, model->monitors[i % model->nr_monitors], i < model->nr_monitors);
	if (model->nr_runs > 1)
		readings->columns[readings->nr_columns++] =
			(struct column){ "run", "Run", COLUMN_LEFT, get_reading, READING_RUN };
	place_columns(readings);
	return readings;
}

void readings_add_table(struct document *document, struct readings *readings)
{
	document_add_table(document, &(struct table){
		.name = "rows",
		.columns = readings->columns,
		.nr_columns = readings->nr_columns,
		.rows = ROWS_OF(struct reading),
		.next = next_reading,
		.source = readings,
		.formats = IN_CSV | IN_JSON,
	});
}
