/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounds of rates: the column that contains this one, and the number of processors. */
#include "analyzer/resources/rate_bounds.h"

#include <math.h>
#include <string.h>

#include "analyzer/base/error.h"

#define ALL_PROCESSORS	0

/* Columns that are part of another one, which the kernel counts exactly. */
static const struct { const char *part, *whole; } parts[] = {
	{ "user_ns", "cpu_ns" },
	{ "system_ns", "cpu_ns" },
};

static int whole_of(const struct rowset *rows, const char *column)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (strcmp(column, parts[i].part) == 0)
			return rowset_column(rows, parts[i].whole);
	return -1;
}

static void list_machine(struct model *model, struct process *process)
{
	const struct rowset *rows = process_rowset(process, "system");

	if (!rows || rows->nr_rows < 2)
		return;
	APPEND(model->machines, model->nr_machines) = process;
}

/* Once: of 10,000 ranks hardly any has them. */
static void list_machines(struct model *model)
{
	if (model->has_machines)
		return;
	model->has_machines = true;
	for (size_t i = 0; i < model->nr_monitors; i++)
		list_machine(model, model->monitors[i]);
	for (size_t i = 0; i < model->nr_processes; i++)
		list_machine(model, model->processes[i]);
}

/* A process that recorded the rows of this machine; NULL if none did. */
static struct process *machine_of(struct process *process)
{
	struct model *model = process->model;
	const struct rowset *own = process_rowset(process, "system");

	if (own && own->nr_rows > 1)
		return process;
	list_machines(model);
	for (size_t i = 0; i < model->nr_machines; i++)
		if (processes_share_boot(model->machines[i], process))
			return model->machines[i];
	return NULL;
}

/* Each processor counts its time, idle or not. Over all rows, the kernel's steps hardly matter. */
double rate_nr_processors(struct process *process)
{
	struct process *machine = machine_of(process);
	const struct rowset *rows = machine ? process_rowset(machine, "system") : NULL;
	int total = rows ? rowset_column(rows, "system_cpu_total_ns") : -1;
	uint64_t first_ns, last_ns;
	int64_t passed_ns;

	if (total < 0)
		return NAN;
	first_ns = rowset_value(rows, 0, (uint32_t)total);
	last_ns = rowset_value(rows, rows->nr_rows - 1, (uint32_t)total);
	passed_ns =
		row_time(machine, rows, rows->nr_rows - 1) - row_time(machine, rows, 0);
	if (first_ns == LOG_NONE || last_ns == LOG_NONE || last_ns <= first_ns || passed_ns <= 0)
		return NAN;
	return fmax(1, round((double)(last_ns - first_ns) / (double)passed_ns));
}

/* The most threads that the process had at once: all in its log, or what the kernel reported. */
static double nr_threads(const struct process *process, const struct rowset *rows)
{
	int column = rowset_column(rows, "threads");
	double most = (double)process->nr_threads;

	if (column < 0)
		return NAN;
	for (size_t row = 0; row < rows->nr_rows; row++) {
		uint64_t nr = rowset_value(rows, row, (uint32_t)column);

		most = nr == LOG_NONE ? most : fmax(most, (double)nr);
	}
	return fmax(most, 1);
}

/* Each thread may wait all the time. Their readings are older than the row, by different times. */
static double most_waiting(struct process *process)
{
	const struct rowset *rows = process_rowset(process, "process");

	return rows ? 100 * nr_threads(process, rows) : NAN;
}

/* In cores or percent; NAN: not known, as with the engines of a GPU. */
static double most_of(struct process *process, const struct rowset *rows, uint32_t column)
{
	static const struct { const char *set; uint16_t unit; double most; } sets[] = {
		{ "cores", LOG_UNIT_NS, 1 },
		{ "thread", LOG_UNIT_NS, 1 },
		{ "thread", LOG_UNIT_WAIT_NS, 100 },
		{ "system", LOG_UNIT_WAIT_NS, 100 },
		{ "system", LOG_UNIT_NS, ALL_PROCESSORS },
		{ "process", LOG_UNIT_NS, ALL_PROCESSORS },
		{ "cgroup", LOG_UNIT_NS, ALL_PROCESSORS },
	};

	if (strcmp(rows->set, "process_slow") == 0 && rows->columns[column].unit == LOG_UNIT_WAIT_NS)
		return most_waiting(process);
	for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++)
		if (strcmp(rows->set, sets[i].set) == 0 && rows->columns[column].unit == sets[i].unit)
			return sets[i].most != ALL_PROCESSORS
				       ? sets[i].most
				       : fmin(rate_nr_processors(process), strcmp(rows->set, "process") == 0
										   ? nr_threads(process, rows)
										   : NAN);
	return NAN;
}

double rate_most_of_all(struct process *process, const struct rowset *rows, uint32_t column)
{
	const struct model *model = process->model;

	if (strcmp(rows->set, "process") != 0 || rows->columns[column].unit != LOG_UNIT_NS ||
	    model->nr_runs > 1)
		return NAN;
	for (size_t i = 0; i < model->nr_processes; i++)
		if (!processes_share_boot(model->processes[i], process))
			return NAN;
	return rate_nr_processors(process);
}

void rate_bounds_find(struct rate_bounds *bounds, struct process *process, const struct rowset *rows,
		      uint32_t column)
{
	*bounds = (struct rate_bounds){
		.rows = rows,
		.whole = whole_of(rows, rows->columns[column].name),
		.most = most_of(process, rows, column),
	};
}

double rate_bounded(const struct rate_bounds *bounds, size_t from, size_t to, int64_t passed_ns, double rate)
{
	const struct rowset *rows = bounds->rows;
	uint64_t before, after;

	rate = fmin(rate, bounds->most);
	if (bounds->whole < 0)
		return rate;
	before = rowset_value(rows, from, (uint32_t)bounds->whole);
	after = rowset_value(rows, to, (uint32_t)bounds->whole);
	if (before == LOG_NONE || after == LOG_NONE || after < before)
		return rate;
	return fmin(rate, (double)(after - before) / (double)passed_ns);
}

double rate_cpu_before_ns(const struct process *process, const struct rowset *rows, uint32_t column)
{
	if (!process_fact(process, "attached"))
		return (double)process->header.start_cpu_ns;
	for (size_t row = 0; row < rows->nr_rows; row++)
		if (rowset_value(rows, row, column) != LOG_NONE)
			return (double)rowset_value(rows, row, column);
	return 0;
}

double rate_cpu_before_run_ns(const struct process *process, const struct rowset *rows, uint32_t column)
{
	const double before_ns = rate_cpu_before_ns(process, rows, column);

	if (process->follows_image)
		return 0;
	return fmax(before_ns - (double)process->start, 0);
}
