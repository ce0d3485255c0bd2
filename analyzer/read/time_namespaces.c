/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Processes of a run with a monotonic clock of their own. Found only if times are from the time-stamp
 * counter.
 */
#include "analyzer/read/time_namespaces.h"

#include <string.h>

static bool is_better(const struct process *process, const struct process *other)
{
	return !other || process_begin(process)->realtime_ns < process_begin(other)->realtime_ns;
}

/* The process whose clock is the run's, on the host of that boot. */
static const struct process *find_reference(const struct model *model, const struct process *process)
{
	struct process *const *lists[] = { model->monitors, model->processes };
	size_t counts[] = { model->nr_monitors, model->nr_processes };
	const struct process *found = NULL;

	for (int i = 0; i < 2 && !found; i++) {
		for (size_t j = 0; j < counts[i]; j++) {
			const struct process *other = lists[i][j];

			if (other->run == process->run && !other->is_saved &&
			    other->header.clock != LOG_CLOCK_MONOTONIC &&
			    processes_share_boot(other, process) && is_better(other, found))
				found = other;
		}
	}
	return found;
}

static void set_back(struct process *process, int64_t ns)
{
	for (size_t i = 0; i < process->timebase.nr_points; i++)
		process->timebase.points[i].monotonic_ns -= (uint64_t)ns;
	process->header.start.monotonic_ns -= (uint64_t)ns;
}

void time_namespaces_join(struct model *model)
{
	const struct process *reference = NULL;

	for (size_t i = 0; i < model->nr_processes; i++) {
		struct process *process = model->processes[i];
		int64_t ns;

		if (process->is_saved || process->header.clock == LOG_CLOCK_MONOTONIC ||
		    !process->header.boot_id[0])
			continue;
		if (!reference || reference->run != process->run ||
		    !processes_share_boot(reference, process))
			reference = find_reference(model, process);
		ns = timebase_apart_ns(process_begin(process), process_begin(reference), reference->tick_ns);
		if (ns)
			set_back(process, ns);
	}
}
