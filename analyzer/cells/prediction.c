/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The run's CPU time less the hooks' of what is left out. What these hooks cost was measured before the run began; whether they
 * took more or less in it, by what else the processor did, is seen in the functions that are too short to time: what is left of their
 * time is that difference. Who waits for a processor has to wait the less, the less there is to be done.
 */
#include "analyzer/cells/prediction.h"

#include <math.h>

#include "analyzer/calls/thread_curves.h"
#include "analyzer/model/process_usage.h"

/* CPU time of functions of one kind: left out, or not. */
struct part {
	double hooks_ns;	/* as measured */
	double removed_ns;	/* of it in functions too short to time, */
	double vague_ns;	/* and what is left of their time */
};

/* The thread that made most calls: others had to wait for it, or did not. NULL: none did. */
static struct thread *busiest_thread(const struct model *model)
{
	struct thread *busiest = NULL;

	for (size_t i = 0; i < model->nr_processes; i++)
		for (size_t j = 0; j < model->processes[i]->nr_threads; j++) {
			struct thread *thread = model->processes[i]->threads[j];

			if (thread->calls && (!busiest || thread->calls > busiest->calls))
				busiest = thread;
		}
	return busiest;
}

/* What it did until @end: where it is not known, as of a record that threads shared, it ran. */
static void read_use(double *used, struct thread *thread, int64_t end)
{
	struct thread_use use;

	thread_use_open(&use, thread, thread->tid);
	thread_use_between(&use, 0, end, used);
	thread_use_close(&use);
	if (thread->nr_threads <= 1 && used[USE_CPU_NS] > 0 && used[USE_BLOCKED_NS] >= 0)
		return;
	used[USE_CPU_NS] = (double)end;
	used[USE_WAIT_NS] = used[USE_BLOCKED_NS] = 0;
}

/* Did no more run at a time than one processor does? Then all is as if one thread had done it. */
static bool took_turns(double *used, const struct model *model)
{
	double cpu_ns = 0;

	for (size_t i = 0; i < model->nr_processes; i++)
		cpu_ns += usage_of_process(model->processes[i]).cpu_ns;
	if (!(cpu_ns > 0 && cpu_ns <= (double)model->end))
		return false;
	used[USE_CPU_NS] = cpu_ns;
	used[USE_WAIT_NS] = 0;
	used[USE_BLOCKED_NS] = (double)model->end - cpu_ns;
	return true;
}

/* @running: how much of the time of functions the thread ran in it. */
static void add_up(struct part *parts, const struct excludes *excludes, const struct model *model, double running)
{
	for (size_t i = 0; i < model->nr_functions; i++) {
		const struct call_stats *stats = &model->functions[i]->stats;
		struct part *part = &parts[excludes->left_out[i]];
		double self_ns = (stats->self_ns + stats->removed_self_ns) * running - stats->removed_self_ns;

		part->hooks_ns += stats->hooks_ns;
		if (self_ns > stats->self_doubt_ns)
			continue;
		part->removed_ns += stats->removed_self_ns;
		part->vague_ns += self_ns;
	}
}

struct prediction prediction_of(const struct excludes *excludes, const struct model *model)
{
	struct thread *thread = busiest_thread(model);
	struct part parts[2] = { 0 }, *left = &parts[0], *out = &parts[1];
	double share, cpu_ns, stretch, off, used[NR_USES];

	if (!thread || model->nr_runs > 1)
		return (struct prediction){ NAN, NAN };
	share = fmin((double)thread->calls / (double)model->calls, 1);	/* of a saved profile's selection more is told */
	if (share < 1 && took_turns(used, model))
		share = 1;
	else
		read_use(used, thread, model->end);
	stretch = 1 + used[USE_WAIT_NS] / used[USE_CPU_NS];
	add_up(parts, excludes, model, 1 / stretch);
	if (!(out->hooks_ns > 0))
		return (struct prediction){ NAN, NAN };
	off = out->removed_ns > 0 ? out->vague_ns / out->removed_ns : 0;
	cpu_ns = fmax(used[USE_CPU_NS] - out->hooks_ns * (1 + off) * share, left->hooks_ns * (1 + off) * share);
	cpu_ns = fmin(cpu_ns, used[USE_CPU_NS]);
	return (struct prediction){ used[USE_BLOCKED_NS] + cpu_ns * stretch, out->hooks_ns * fabs(off) * share * stretch };
}
