/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds parents and successors of processes. A build has tens of thousands of them, so they are looked up by
 * pid.
 */
#include "analyzer/model/parents.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"

/* Processes by run and pid. */
struct by_pid {
	struct process **list;
	size_t nr;
};

static int compare(const void *a, const void *b)
{
	const struct process *x = *(struct process *const *)a, *y = *(struct process *const *)b;

	if (x->run != y->run)
		return x->run < y->run ? -1 : 1;
	return x->header.pid < y->header.pid ? -1 : x->header.pid > y->header.pid;
}

/* Processes without a log have no exec number. In a saved profile the start is not known. */
static bool is_later_image(const struct process *a, const struct process *b)
{
	uint64_t a_ns = a->header.start.monotonic_ns, b_ns = b->header.start.monotonic_ns;

	return a_ns && b_ns ? a_ns > b_ns : a->header.exec_count > b->header.exec_count;
}

/* The same process after its next exec. All in @list have one pid. */
static struct process *find_successor(struct process *const *list, size_t nr, const struct process *process)
{
	struct process *found = NULL;

	for (size_t i = 0; i < nr; i++)
		if (is_later_image(list[i], process) &&
		    list[i]->header.process_start == process->header.process_start &&
		    processes_share_host(list[i], process) && (!found || is_later_image(found, list[i])))
			found = list[i];
	return found;
}

static void find_successors(const struct by_pid *all)
{
	size_t end;

	for (size_t begin = 0; begin < all->nr; begin = end) {
		for (end = begin + 1; end < all->nr && compare(&all->list[begin], &all->list[end]) == 0;
		     end++)
			;
		for (size_t i = begin; i < end; i++) {
			struct process *next = find_successor(&all->list[begin], end - begin, all->list[i]);

			all->list[i]->end_next = next;
			if (next)
				next->follows_image = true;
		}
	}
}

/* The newest program of its parent that began before it. Pids are reused. */
static const struct process *find_parent(const struct by_pid *all, const struct process *child)
{
	const struct process key = { .run = child->run, .header.pid = child->header.ppid }, *wanted = &key,
			     *found = NULL;
	struct process **at = bsearch(&wanted, all->list, all->nr, sizeof(*all->list), compare);

	if (!at)
		return NULL;
	while (at > all->list && compare(at - 1, &wanted) == 0)
		at--;
	for (; at < all->list + all->nr && compare(at, &wanted) == 0; at++)
		if ((*at)->start < child->start && processes_share_host(*at, child) &&
		    (!found || (*at)->start > found->start))
			found = *at;
	return found;
}

static void inherit_command(const struct by_pid *all, struct process *child)
{
	const struct process *parent = find_parent(all, child);

	while (parent && !parent->command[0])
		parent = find_parent(all, parent);
	if (!parent)
		return;
	child->command = parent->command;
	child->exe = parent->exe;
	child->cwd = parent->cwd;
}

bool lineage_is_forked(const struct process *process)
{
	for (size_t i = 0; i < process->nr_events; i++)
		if (process->events[i].kind == LOG_EVENT_FORK)
			return true;
	return false;
}

void lineage_find(struct model *model)
{
	struct by_pid all = { xcalloc(model->nr_processes + 1, sizeof(*all.list)), model->nr_processes };

	for (size_t i = 0; i < all.nr; i++)
		all.list[i] = model->processes[i];
	qsort(all.list, all.nr, sizeof(*all.list), compare);
	find_successors(&all);
	for (size_t i = 0; i < all.nr; i++)
		if (!all.list[i]->command[0] && lineage_is_forked(all.list[i]))
			inherit_command(&all, all.list[i]);
	free(all.list);
}
