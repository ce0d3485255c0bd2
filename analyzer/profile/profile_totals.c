/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Losses besides the counters of processes. */
#include "analyzer/profile/profile_totals.h"

#include <string.h>

#include "analyzer/base/names.h"
#include "analyzer/model/resolve.h"

static void add_losses(uint64_t *sum, const uint64_t *losses)
{
	for (int i = 0; i < LOG_LOSSES_MAX; i++)
		sum[i] += losses[i];
}

static bool is_of_libgomp(struct thread *thread)
{
	const struct function *begin = thread->left_out ? NULL : resolve_begin(thread);

	return begin && begin->object && strncmp(path_base(begin->object->path), "libgomp", 7) == 0;
}

/* Records of threads that began in OpenMP. */
static uint64_t openmp_threads(const struct model *model)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < model->nr_processes; i++)
		for (size_t k = 0; model->processes[i]->calls && k < model->processes[i]->nr_threads; k++)
			nr += !model->processes[i]->threads[k]->is_in_teams &&
			      is_of_libgomp(model->processes[i]->threads[k]);
	return nr;
}

struct profile_totals losses_totals(const struct model *model)
{
	struct profile_totals totals = {
		.log_bytes = model->log_bytes + model->saved_log_bytes,
		.damaged_records = model->nr_damaged,
		.unreadable_logs = model->nr_unreadable,
		.openmp_threads = openmp_threads(model),
	};

	for (size_t i = 0; i < model->nr_shared && !model->is_later_part; i++)
		add_losses(totals.losses, model->shared[i]->header.losses);
	for (size_t i = 0; i < model->nr_monitors && !model->is_later_part; i++)
		add_losses(totals.losses, model->monitors[i]->header.losses);
	for (size_t i = 0; i < model->nr_profiles; i++) {
		const struct profile_totals *saved =
			model->profiles[i] ? profile_totals(model->profiles[i]) : NULL;

		if (!saved)
			continue;
		add_losses(totals.losses, saved->losses);
		totals.openmp_threads += saved->openmp_threads;
		totals.untold_losses += saved->untold_losses;
	}
	return totals;
}

/* Whole ns, as a saved profile has them. Damage may contain any number: limited to the time of the log. */
double losses_off_ns(const struct process *process)
{
	const struct log_header *header = &process->header;
	uint64_t since = header->off_since_ticks, ticks = header->off_ticks;

	if (since && since < process->last_ticks)
		ticks += process->last_ticks - since;
	return trunc(fmin((double)ticks * process->tick_ns, (double)(process->last - process->start)));
}
