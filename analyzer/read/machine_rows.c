/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Merges rows of the machine from several logs. */
#include "analyzer/read/machine_rows.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"

/* The rows of the machine in one log. */
struct part {
	struct process *process;
	struct process *owner;		/* NULL: no process of that machine is reported */
	struct rowset rows;
};

struct parts {
	struct part *list;
	size_t nr;
};

static bool has_any(const struct process *process)
{
	for (size_t i = 0; i < process->nr_rowsets; i++)
		if (rowset_is_of_machine(&process->rowsets[i]))
			return true;
	return false;
}

static bool is_of_same_machine(const struct process *a, const struct process *b)
{
	return a->run == b->run && !a->is_saved && processes_share_boot(a, b) &&
	       (a->header.boot_id[0] || strcmp(a->header.host, b->header.host) == 0);
}

static struct process *find_owner(const struct model *model, const struct process *process)
{
	struct process *without = NULL;

	for (size_t i = 0; i < model->nr_monitors; i++)
		if (is_of_same_machine(model->monitors[i], process) && has_any(model->monitors[i]))
			return model->monitors[i];
	for (size_t i = 0; i < model->nr_processes; i++) {
		if (!is_of_same_machine(model->processes[i], process))
			continue;
		if (has_any(model->processes[i]))
			return model->processes[i];
		if (!without)
			without = model->processes[i];
	}
	return without;
}

static void find_parts(struct parts *parts, const struct model *model, struct process *const *processes,
		       size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct process *owner = has_any(processes[i]) ? find_owner(model, processes[i]) : NULL;

		for (size_t j = 0; j < processes[i]->nr_rowsets; j++) {
			if (!rowset_is_of_machine(&processes[i]->rowsets[j]))
				continue;
			APPEND(parts->list, parts->nr) =
				(struct part){ processes[i], owner, processes[i]->rowsets[j] };
		}
	}
}

/* The parts own them from now on. */
static void take_rows(struct process *process)
{
	size_t kept = 0;

	for (size_t i = 0; i < process->nr_rowsets; i++)
		if (!rowset_is_of_machine(&process->rowsets[i]))
			process->rowsets[kept++] = process->rowsets[i];
	process->nr_rowsets = kept;
}

/* Rows of one curve lie together. */
static int by_owner_and_columns(const void *a, const void *b)
{
	const struct part *x = a, *y = b;
	int order = (x->owner > y->owner) - (x->owner < y->owner);

	order = order ? order : strcmp(x->rows.set, y->rows.set);
	if (order)
		return -order;		/* "system" before "cores" */
	if (x->rows.nr_columns != y->rows.nr_columns)
		return x->rows.nr_columns < y->rows.nr_columns ? -1 : 1;
	return memcmp(x->rows.columns, y->rows.columns, x->rows.nr_columns * sizeof(*x->rows.columns));
}

struct row {
	uint64_t ticks;			/* of the owner */
	const uint64_t *values;
};

static int by_ticks(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->ticks > y->ticks) - (x->ticks < y->ticks);
}

/* The length of a tick is not known well enough in a process of a few ms to tell a time hours later. */
static bool is_in_life(const struct timebase *base, uint64_t ticks)
{
	return ticks >= base->points[0].ticks && ticks <= base->points[base->nr_points - 1].ticks;
}

static uint64_t owner_ticks(const struct part *part, uint64_t ticks)
{
	const struct process *owner = part->owner;

	if (owner->header.clock == part->process->header.clock && is_in_life(&owner->timebase, ticks))
		return ticks;
	return timebase_ticks(&owner->timebase, timebase_monotonic_ns(&part->process->timebase, ticks));
}

static uint64_t greater(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The head for all rows: the least that holds for each. */
static void add_head(struct rowset *all, const struct rowset *rows)
{
	all->step = (uint32_t)greater(all->step, rows->step);
	all->interval_ns = greater(all->interval_ns, rows->interval_ns);
	all->cost_ns = greater(all->cost_ns, rows->cost_ns);
	all->first_cost_ns = greater(all->first_cost_ns, rows->first_cost_ns);
	all->nr_rows += rows->nr_rows;
}

/* @parts: of one owner, with the same columns. Return: their rows in the order of time */
static struct rowset merge(const struct part *parts, size_t nr)
{
	struct rowset all = parts[0].rows;
	size_t nr_rows = 0;
	struct row *rows;

	for (size_t i = 1; i < nr; i++)
		add_head(&all, &parts[i].rows);
	rows = xcalloc(all.nr_rows + 1, sizeof(*rows));
	for (size_t i = 0; i < nr; i++)
		for (size_t j = 0; j < parts[i].rows.nr_rows; j++) {
			uint64_t ticks = rowset_ticks(&parts[i].rows, j);

			rows[nr_rows++] = (struct row){ owner_ticks(&parts[i], ticks),
							rowset_values(&parts[i].rows, j) };
		}
	qsort(rows, nr_rows, sizeof(*rows), by_ticks);
	all.columns = xcalloc(all.nr_columns, sizeof(*all.columns));
	memcpy(all.columns, parts[0].rows.columns, all.nr_columns * sizeof(*all.columns));
	all.own = NULL;
	all.nr_rows = 0;
	for (size_t i = 0; i < nr_rows; i++)
		rowset_add(&all, rows[i].ticks, rows[i].values);
	free(rows);
	return all;
}

static void give_rows(const struct part *parts, size_t nr)
{
	struct process *owner = parts[0].owner;

	if (!owner)
		return;
	APPEND(owner->rowsets, owner->nr_rowsets) = merge(parts, nr);
}

void machine_rows_gather(struct model *model)
{
	struct parts parts = { NULL, 0 };

	find_parts(&parts, model, model->monitors, model->nr_monitors);
	find_parts(&parts, model, model->processes, model->nr_processes);
	find_parts(&parts, model, model->left_out, model->nr_left_out);
	for (size_t i = 0; i < parts.nr; i++)
		take_rows(parts.list[i].process);
	if (parts.nr)
		qsort(parts.list, parts.nr, sizeof(*parts.list), by_owner_and_columns);
	for (size_t from = 0, to; from < parts.nr; from = to) {
		for (to = from + 1;
		     to < parts.nr && by_owner_and_columns(&parts.list[from], &parts.list[to]) == 0; to++)
			;
		give_rows(&parts.list[from], to - from);
	}
	for (size_t i = 0; i < parts.nr; i++)
		rowset_release(&parts.list[i].rows);
	free(parts.list);
}

const char *machine_name(const struct process *process)
{
	const struct model *model = process->model;
	const struct process *first = model->nr_processes ? model->processes[0] : model->monitors[0];

	return strcmp(process->header.host, first->header.host) == 0 ? "machine" : process->header.host;
}
