/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CPU samples of one log, added to the merged tree. */
#include "samples.h"

#include <string.h>

#include "logfile.h"
#include "nodes.h"
#include "tree.h"

static void add_sample(struct thread *thread, const struct log_sample *sample, uint64_t offset)
{
	struct process *process = thread->process;
	struct tree_node *path = nodes_path(thread, sample->node);
	struct sample_stats one = { .missed = sample->missed };

	if (!path || sample->ticks > process->limit_ticks) {
		logfile_damaged(process->log, offset, "a CPU sample of no call path, or of no time");
		return;
	}
	if (sample->flags & LOG_SAMPLE_IN_HOOK)
		one.in_hooks = 1;
	else
		one.nr = 1;
	sample_stats_add(&path->samples, &one);
}

void samples_read(struct process *process)
{
	struct logfile *log = process->log;

	for (size_t i = 0; i < log->nr_extents; i++) {
		const struct log_extent *extent = &log->extents[i];
		struct thread *thread = nodes_thread(process, extent->owner);
		uint64_t offset = extent->offset + sizeof(struct log_area), end = extent->offset + extent->used_bytes;

		if (extent->kind != LOG_AREA_SAMPLES || (thread && thread->left_out))
			continue;
		if (!thread) {
			logfile_damaged(log, extent->offset, "CPU samples of no thread");
			continue;
		}
		for (; offset + sizeof(struct log_sample) <= end; offset += sizeof(struct log_sample)) {
			struct log_sample sample;

			memcpy(&sample, log->base + offset, sizeof(sample));
			add_sample(thread, &sample, offset);
		}
		logfile_forget(log, extent);
	}
}

struct sample_share sample_share(uint64_t nr, uint64_t nr_all)
{
	double all = (double)nr_all, part = (double)nr / all;

	if (!nr_all)
		return (struct sample_share){ NAN, NAN };
	/* Where none was seen one might have been. */
	return (struct sample_share){ part, nr ? sqrt(part * (1 - part) / all) : 1 / all };
}
