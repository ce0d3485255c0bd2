/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which share of the hooks' cost is taken off each thread. */
#include "analyzer/load/thread_times.h"

#define LAPS 8	/* each lap leaves out threads of which nothing is left; few have any */
/* Calls without a record after the last known instant: where the end was marked, and where it was not */
#define AFTER_END_NS 100000
#define UNSEEN_END_NS 10000000

typedef void visit_thread(struct thread *thread, void *context);

static void each_thread(const struct model *model, visit_thread *visit, void *context)
{
	for (size_t i = 0; i < model->nr_processes; i++)
		for (size_t j = 0; j < model->processes[i]->nr_threads; j++)
			if (!isnan(model->processes[i]->threads[j]->functions_ns))
				visit(model->processes[i]->threads[j], context);
}

/* Sums of threads of which something is left when @share of their hooks' cost is taken off. */
struct sums {
	double share;
	double recorded_ns;
	double hooks_ns;
};

static double left_ns(const struct thread *thread, double share)
{
	return fmax(thread->functions_ns - share * thread->hooks_ns, 0);
}

static void add_up(struct thread *thread, void *context)
{
	struct sums *sums = context;

	if (left_ns(thread, sums->share) > 0) {
		sums->recorded_ns += thread->functions_ns;
		sums->hooks_ns += thread->hooks_ns;
	}
}

/* The share that leaves the time of all functions. */
static double find_share(const struct model *model)
{
	struct sums sums = { 0 };

	for (int lap = 0; lap < LAPS; lap++) {
		sums.recorded_ns = sums.hooks_ns = 0;
		each_thread(model, add_up, &sums);
		if (!(sums.hooks_ns > 0))
			return 0;
		sums.share = fmax((sums.recorded_ns - model->functions_ns) / sums.hooks_ns, 0);
	}
	return sums.share;
}

/* No path has the time that was counted twice any more: the rest is subtracted in proportion. */
static double find_scale(const struct model *model, double share)
{
	struct sums sums = { .share = share };
	double left_ns;

	each_thread(model, add_up, &sums);
	left_ns = sums.recorded_ns - share * sums.hooks_ns;
	return left_ns > model->functions_ns ? fmax(model->functions_ns, 0) / left_ns : 1;
}

struct fit {
	double share;			/* of the hooks' cost that is taken off */
	double scale;			/* by which the rest is multiplied */
};

static void take_off(struct thread *thread, void *context)
{
	const struct fit *fit = context;

	thread->functions_ns = left_ns(thread, fit->share) * fit->scale;
}

/* When the calls that it made may have ended first; 0: several threads share the record. */
static int64_t least_end(const struct thread *thread)
{
	return thread->begin == NO_TIME || thread->nr_threads > 1
		       ? 0
		       : thread->begin + (int64_t)thread->functions_ns;
}

/*
 * A thread may go on after its process's end was recorded. A coroutine's time, which counts in the thread
 * where it ends, extends no process.
 */
static void extend_process(struct thread *thread, void *context)
{
	struct process *process = thread->process;
	struct model *model = process->model;
	const int64_t end = least_end(thread);

	if (end <= process->last ||
	    end >= process->last + (process->header.finish.ticks ? AFTER_END_NS : UNSEEN_END_NS))
		return;
	process->last = end;
	if (model->end >= end)
		return;
	if (model->to == model->end)
		model->to = end;
	model->end = end;
}

/* Calls of its last destructors may come after its end was recorded. */
static void extend_life(struct thread *thread, void *context)
{
	const int64_t end = least_end(thread), last = thread->process->last;

	if (thread->end != NO_TIME && thread->end < end)
		thread->end = end < last ? end : last;
}

/* A saved profile has the times of its only thread. Other calls may be reported now than at that time. */
static void give_all(struct thread *thread, void *context)
{
	const struct model *model = context;

	thread->functions_ns = fmax(model->functions_ns, 0);
}

static bool is_known(const struct model *model)
{
	for (size_t i = 0; i < model->nr_processes; i++)
		if (isnan(model->processes[i]->functions_ns))
			return false;
	return true;
}

void thread_times_fit(struct model *model)
{
	struct fit fit = { model->is_raw ? 0 : 1, 1 };

	if (is_known(model)) {
		fit.share = model->is_raw ? 0 : find_share(model);
		fit.scale = find_scale(model, fit.share);
	}
	each_thread(model, take_off, &fit);
	if (model->nr_threads == 1)
		each_thread(model, give_all, model);
	each_thread(model, extend_process, NULL);
	each_thread(model, extend_life, NULL);
	for (size_t i = 0; i < model->nr_processes; i++) {
		struct process *process = model->processes[i];

		if (isnan(process->functions_ns))
			continue;
		process->functions_ns = 0;
		for (size_t j = 0; j < process->nr_threads; j++)
			process->functions_ns += process->threads[j]->functions_ns;
	}
}
