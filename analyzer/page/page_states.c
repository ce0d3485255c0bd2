/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * States of threads over time. The run has as many steps of equal length as a screen has columns. Each step
 * has the shares of its time in which a thread ran, or was ready to run. Steps that are alike become one.
 */
#include "analyzer/page/page.h"

#include <math.h>
#include <stdlib.h>

#include "analyzer/base/error.h"
#include "analyzer/calls/thread_curves.h"

#define STATES_MOST	2000	/* of a thread's life */
#define STATES_ALL	400000	/* of all threads together, but for: */
#define STATES_LEAST	50

struct states {
	double *starts, *cpu, *ready;	/* [nr]: when the step begins, percent of it; NAN: not known */
	size_t nr, nr_last;		/* of them, the thread's first one */
};

static void add_state(struct states *states, int64_t time, double cpu, double ready)
{
	const size_t last = states->nr - 1;

	if (states->nr > states->nr_last && states->cpu[last] == cpu && states->ready[last] == ready)
		return;
	states->starts = xgrow(states->starts, states->nr, sizeof(*states->starts));
	states->cpu = xgrow(states->cpu, states->nr, sizeof(*states->cpu));
	states->ready = xgrow(states->ready, states->nr, sizeof(*states->ready));
	states->starts[states->nr] = (double)time;
	states->cpu[states->nr] = cpu;
	states->ready[states->nr++] = ready;
}

/* A step's length is at least that of the rows, but where more is known. */
static void read_states(struct states *states, struct thread *thread, size_t nr_most)
{
	struct thread_use use;

	thread_times_open(&use, thread, thread->tid);
	if (use.times.nr > 1) {
		const int64_t begin = use.times.times[0], end = use.times.times[use.times.nr - 1];
		const size_t nr = use.times.nr - 1 < nr_most ? use.times.nr - 1 : nr_most;
		int64_t from = begin, to;

		for (size_t i = 0; i < nr; i++, from = to) {
			struct span_times times;
			double whole;

			to = begin + (int64_t)((double)(end - begin) * (double)(i + 1) / (double)nr);
			if (nr < nr_most)
				to = use.times.times[i + 1];
			thread_times_between(&use, from, to, &times);
			whole = (double)(to - from);
			add_state(states, from, round(100 * times.cpu_ns / whole),
				  round(100 * times.wait_ns / whole));
		}
		add_state(states, end, NAN, NAN);
	}
	thread_use_close(&use);
}

/* A record that several threads shared one after the other says nothing of each. */
void page_add_states(struct page *page)
{
	const struct model *model = page->report->model;
	struct sheet *sheet = page_sheet(page, "states");
	double *nrs = xcalloc(model->nr_threads + 1, sizeof(*nrs));
	struct states states = { .nr = 0 };
	size_t nr_most = model->nr_threads ? STATES_ALL / model->nr_threads : 0;

	nr_most = nr_most > STATES_MOST ? STATES_MOST : nr_most < STATES_LEAST ? STATES_LEAST : nr_most;
	for (size_t i = 0; i < model->nr_processes; i++) {
		for (size_t j = 0; j < model->processes[i]->nr_threads; j++) {
			struct thread *thread = model->processes[i]->threads[j];

			states.nr_last = states.nr;
			if (thread->nr_threads == 1)
				read_states(&states, thread, nr_most);
			nrs[page_thread(thread)] = (double)(states.nr - states.nr_last);
		}
	}
	sheet_add_numbers(sheet, "thread_steps", nrs, model->nr_threads, 0);
	sheet_add_numbers(sheet, "start_ns", states.starts, states.nr, SHEET_DELTA);
	sheet_add_numbers(sheet, "cpu_percent", states.cpu, states.nr, 0);
	sheet_add_numbers(sheet, "ready_percent", states.ready, states.nr, 0);
	free(nrs);
	free(states.starts);
	free(states.cpu);
	free(states.ready);
}
