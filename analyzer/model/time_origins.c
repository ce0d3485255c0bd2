/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run begins when its first process does, by the best clock that two processes share. */
#include "analyzer/model/time_origins.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"

static int by_start(const void *a, const void *b)
{
	const struct process *x = *(struct process *const *)a, *y = *(struct process *const *)b;
	uint64_t x_ns = process_begin(x)->realtime_ns, y_ns = process_begin(y)->realtime_ns;

	if (x->run != y->run)
		return x->run < y->run ? -1 : 1;
	return x_ns < y_ns ? -1 : x_ns > y_ns;
}

static bool same_boot(const struct process *a, const struct process *b)
{
	return a->header.boot_id[0] && processes_share_boot(a, b);
}

/* Processes of one boot share the monotonic clock. Those of different machines share only the real time. */
static void set_origin(struct process *process, const struct process *first)
{
	int64_t begin = (int64_t)process_begin(process)->monotonic_ns;

	if (same_boot(process, first))
		process->origin_ns = (int64_t)process_begin(first)->monotonic_ns;
	else
		process->origin_ns = (int64_t)((uint64_t)begin - (process_begin(process)->realtime_ns -
								  process_begin(first)->realtime_ns));
}

/*
 * Processes are sorted by the real time, which may have been set in between. If they share a boot, the
 * monotonic clock decides.
 */
static const struct process *earlier(const struct process *first, const struct process *process)
{
	if (!first)
		return process;
	return same_boot(process, first) &&
			       process_begin(process)->monotonic_ns < process_begin(first)->monotonic_ns
		       ? process
		       : first;
}

/* The first process of each run. A run without processes has its insideme-run. To be freed. */
static const struct process **find_firsts(struct model *model)
{
	const struct process **firsts = xcalloc(model->nr_runs, sizeof(*firsts));

	for (size_t i = 0; i < model->nr_processes; i++)
		firsts[model->processes[i]->run] =
			earlier(firsts[model->processes[i]->run], model->processes[i]);
	for (size_t i = 0; i < model->nr_monitors; i++)
		if (!firsts[model->monitors[i]->run])
			firsts[model->monitors[i]->run] = model->monitors[i];
	model->run_starts_ns = xcalloc(model->nr_runs, sizeof(*model->run_starts_ns));
	for (size_t run = model->nr_runs; run-- > 0;)
		if (firsts[run])
			model->start_realtime_ns = model->run_starts_ns[run] =
				process_begin(firsts[run])->realtime_ns;
	return firsts;
}

void origins_set(struct model *model)
{
	const struct process **firsts;

	if (model->nr_processes)
		qsort(model->processes, model->nr_processes, sizeof(*model->processes), by_start);
	firsts = find_firsts(model);
	for (size_t i = 0; i < model->nr_processes; i++)
		set_origin(model->processes[i], firsts[model->processes[i]->run]);
	for (size_t i = 0; i < model->nr_monitors; i++)
		set_origin(model->monitors[i], firsts[model->monitors[i]->run]);
	free(firsts);
}
