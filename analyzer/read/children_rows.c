/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows that insideme-run read for children. In its log they have the child's pid, which several processes may
 * have had in turn.
 */
#include "analyzer/read/children_rows.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"

/* The processes that may have such rows, sorted so that each finds its own quickly. */
struct owners {
	struct process **list;		/* by run, pid and start */
	size_t nr;
};

static int by_pid(const struct process *a, const struct process *b)
{
	if (a->run != b->run)
		return a->run < b->run ? -1 : 1;
	return (a->header.pid > b->header.pid) - (a->header.pid < b->header.pid);
}

/* An entry and the log that was opened later may begin at the same instant: the log is the later one. */
static int by_pid_and_begin(const void *a, const void *b)
{
	const struct process *x = *(struct process *const *)a, *y = *(struct process *const *)b;
	uint64_t x_ns = x->header.start.monotonic_ns, y_ns = y->header.start.monotonic_ns;
	int order = by_pid(x, y);

	if (order)
		return order;
	return x_ns != y_ns ? (x_ns > y_ns) - (x_ns < y_ns) : !x->parent - !y->parent;
}

static void find_owners(struct owners *owners, const struct model *model)
{
	owners->list = xcalloc(model->nr_processes + 1, sizeof(*owners->list));
	owners->nr = 0;
	for (size_t i = 0; i < model->nr_processes; i++)
		if (!model->processes[i]->is_saved)
			owners->list[owners->nr++] = model->processes[i];
	qsort(owners->list, owners->nr, sizeof(*owners->list), by_pid_and_begin);
}

/* The first one with that pid in the run of @monitor; nr if there is none. */
static size_t first_owner(const struct owners *owners, const struct process *monitor, uint32_t pid)
{
	struct process key = { .run = monitor->run, .header.pid = pid };
	size_t low = PARTITION_POINT(i, owners->nr, by_pid(owners->list[i], &key) < 0);

	return low < owners->nr && by_pid(owners->list[low], &key) == 0 ? low : owners->nr;
}

/* The process that had the pid at that time; NULL: not known. */
static struct process *owner_at(const struct owners *owners, size_t first, const struct process *monitor,
				uint64_t monotonic_ns)
{
	struct process *found = NULL;

	for (size_t i = first; i < owners->nr && by_pid(owners->list[i], owners->list[first]) == 0; i++)
		if (processes_share_host(owners->list[i], monitor) &&
		    owners->list[i]->header.start.monotonic_ns <= monotonic_ns)
			found = owners->list[i];
	return found;
}

/* The same time in the ticks of the owner's log. */
static uint64_t ticks_of(const struct process *owner, const struct process *monitor, uint64_t ticks,
			 uint64_t monotonic_ns)
{
	return owner->header.clock == monitor->header.clock
		       ? ticks
		       : timebase_ticks(&owner->timebase, (int64_t)monotonic_ns);
}

/* Copy rows [@from, @to) of @rows for @owner. */
static struct rowset take_rows(const struct process *owner, struct process *monitor,
			       const struct rowset *rows, size_t from, size_t to, uint32_t id)
{
	struct rowset taken = *rows;

	taken.id = id;
	taken.nr_rows = 0;
	taken.own = NULL;
	taken.columns = xcalloc(rows->nr_columns, sizeof(*taken.columns));
	memcpy(taken.columns, rows->columns, rows->nr_columns * sizeof(*taken.columns));
	for (size_t i = from; i < to; i++) {
		uint64_t ticks = rowset_ticks(rows, i);
		uint64_t ns = (uint64_t)timebase_monotonic_ns(&monitor->timebase, ticks);

		rowset_add(&taken, ticks_of(owner, monitor, ticks, ns), rowset_values(rows, i));
	}
	rowset_clip(&taken, owner->timebase.points[0].ticks, owner->limit_ticks);
	return taken;
}

/* Values of @rows at a time; after its last row nothing was seen. [nr_columns] */
static void values_at(const struct rowset *rows, uint64_t ticks, double tick_ns, uint64_t *values)
{
	const size_t row = PARTITION_POINT(i, rows->nr_rows, rowset_ticks(rows, i) < ticks);
	const uint64_t *before = rowset_values(rows, row ? row - 1 : 0);
	const uint64_t *now = row < rows->nr_rows ? rowset_values(rows, row) : before;
	const uint64_t begin = rowset_ticks(rows, row ? row - 1 : 0),
		       end = row < rows->nr_rows ? rowset_ticks(rows, row) : begin;
	const double part = end > begin ? (double)(ticks - begin) / (double)(end - begin) : 0;
	const int unseen = rowset_column(rows, "thread_unseen_ns");

	for (uint32_t i = 0; i < rows->nr_columns; i++)
		values[i] = before[i] + (uint64_t)(part * (double)(now[i] - before[i]));
	if (row == rows->nr_rows && unseen >= 0)
		values[unseen] += (uint64_t)((double)(ticks - begin) * tick_ns);
}

/* Are both of one thread's records of when it was off its processor? */
static bool is_off_twice(const struct rowset *rows, const struct rowset *own)
{
	return strcmp(rows->set, "thread_off") == 0 && strcmp(own->set, rows->set) == 0 &&
	       own->id == rows->id && own->nr_columns == rows->nr_columns && own->nr_rows && rows->nr_rows;
}

/*
 * The kernel's records of a thread began anew for its own log, with sums from 0, while the earlier ones went
 * on for a moment.
 */
static void raise_off(struct rowset *rows, struct rowset *own, double tick_ns)
{
	struct rowset raised = *own;
	uint64_t *before = xcalloc(rows->nr_columns, sizeof(*before)),
		 *values = xcalloc(rows->nr_columns, sizeof(*values));

	values_at(rows, rowset_ticks(own, 0), tick_ns, before);
	raised.own = NULL;
	raised.nr_rows = 0;
	for (size_t row = 0; row < own->nr_rows; row++) {
		for (uint32_t i = 0; i < rows->nr_columns; i++)
			values[i] = before[i] + rowset_value(own, row, i);
		rowset_add(&raised, rowset_ticks(own, row), values);
	}
	rowset_clip(rows, 0, rowset_ticks(own, 0) - 1);
	free(own->own);
	*own = raised;
	free(before);
	free(values);
}

/* Two tasks read the same counters, one more precisely than the other. */
static void let_none_fall(struct rowset *rows)
{
	const size_t words = rows->nr_columns + 1;	/* of a row: its ticks come first */

	for (uint32_t i = 0; i < rows->nr_columns; i++) {
		uint64_t most = 0;

		for (size_t row = 0; row < rows->nr_rows && rows->columns[i].kind == LOG_CUMULATIVE; row++) {
			uint64_t *value = &rows->own[row * words + 1 + i];

			if (*value != LOG_NONE && *value < most)
				*value = most;
			most = *value != LOG_NONE ? *value : most;
		}
	}
}

/* The process's own log may have rows of the same set: these go before them. */
static void add_rows(struct process *owner, struct rowset *rows)
{
	for (size_t i = 0; i < owner->nr_rowsets; i++) {
		struct rowset *own = &owner->rowsets[i];

		if (is_off_twice(rows, own))
			raise_off(rows, own, owner->tick_ns);
		if (!rowset_join(rows, own))
			continue;
		rows->step = own->step;
		rows->cost_ns = own->cost_ns;
		let_none_fall(rows);
		rowset_release(own);
		*own = *rows;
		return;
	}
	APPEND(owner->rowsets, owner->nr_rowsets) = *rows;
}

/* Give each sequence of rows with one owner to that process. */
static void give_rows(const struct owners *owners, struct process *monitor, const struct rowset *rows)
{
	size_t first = first_owner(owners, monitor, rows->id), from = 0;
	uint32_t id = strncmp(rows->set, "thread", 6) == 0 ? rows->id : 0;

	while (first < owners->nr && from < rows->nr_rows) {
		struct process *owner = NULL;
		size_t to;

		for (to = from; to < rows->nr_rows; to++) {
			int64_t ns = timebase_monotonic_ns(&monitor->timebase, rowset_ticks(rows, to));
			struct process *other = owner_at(owners, first, monitor, (uint64_t)ns);

			if (to > from && other != owner)
				break;
			owner = other;
		}
		if (owner) {
			struct rowset taken = take_rows(owner, monitor, rows, from, to, id);

			add_rows(owner, &taken);
		}
		from = to;
	}
}

/* Rows of a process or of its first thread. What devices report about processes stays with the devices. */
static bool is_of_child(const struct rowset *rows)
{
	static const char *const sets[] = { "process",	   "memory", "process_slow", "process_maps",
					    "process_gpu", "thread", "thread_off" };

	for (size_t i = 0; rows->id && i < sizeof(sets) / sizeof(*sets); i++)
		if (strcmp(rows->set, sets[i]) == 0)
			return true;
	return false;
}

static void read_monitor(const struct owners *owners, struct process *monitor)
{
	size_t kept = 0;

	for (size_t i = 0; i < monitor->nr_rowsets; i++) {
		struct rowset *rows = &monitor->rowsets[i];

		if (is_of_child(rows)) {
			give_rows(owners, monitor, rows);
			rowset_release(rows);
		} else {
			monitor->rowsets[kept++] = *rows;
		}
	}
	monitor->nr_rowsets = kept;
}

void children_rows_read(struct model *model)
{
	struct owners owners;

	if (!model->nr_monitors)
		return;
	find_owners(&owners, model);
	for (size_t i = 0; i < model->nr_monitors; i++)
		read_monitor(&owners, model->monitors[i]);
	free(owners.list);
}
