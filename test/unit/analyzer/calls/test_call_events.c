/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/calls/call_events: the order of entries and exits over several readings. */
#include <unistd.h>

#include "analyzer/calls/call_events.h"
#include "test/unit/build_model.h"
#include "test/unit/unit.h"

#define STAYS	7001u		/* pids */
#define ENDS	7002u

static void add_slice(struct build *build, struct log_thread *thread, struct log_node *node, uint64_t from_ms,
		      uint64_t to_ms)
{
	build_call(node, (to_ms - from_ms) * MS, 0);
	build_slice(build, thread, 0, &(struct build_slice){ .node = node, .end_ticks = NS_START + to_ms * MS,
							     .ticks = (to_ms - from_ms) * MS });
}

/*
 * A process that calls f from 15 to 16 and from 30 to 31 ms; one that ends, and is in main from 10 to 100, in
 * f from 20 to 21 ms.
 */
static void build_two_processes(struct build_run *run)
{
	struct log_thread *thread;
	struct log_node *node;
	struct build build;

	thread = build_begin(&build);
	build.header->pid = STAYS;
	node = build_node(&build, thread, &thread->root, F);
	add_slice(&build, thread, node, 15, 16);
	add_slice(&build, thread, node, 30, 31);
	build_run_add(run, &build);
	thread = build_begin(&build);
	build.header->pid = ENDS;
	node = build_node(&build, thread, &thread->root, MAIN);
	add_slice(&build, thread, build_node(&build, thread, node, F), 20, 21);
	add_slice(&build, thread, node, 10, 100);
	build_finish(&build, NS_START + 110 * MS, 0);
	build_run_add(run, &build);
}

/* As if the processes ran, and their open calls were read after this time. @ends_ms 0: ENDS has ended. */
static struct model *load(struct build_run *run, uint64_t stays_ms, uint64_t ends_ms)
{
	struct model *model = model_load(run->list, run->nr, NULL);

	assert_non_null(model);
	assert_int_equal(model->nr_processes, 2);
	for (size_t i = 0; i < 2; i++) {
		struct process *process = model->processes[i];
		uint64_t last_ms = process->header.pid == STAYS ? stays_ms : ends_ms;

		if (!last_ms)
			continue;
		process->end_kind = END_RUNNING;
		process->last = (int64_t)(last_ms * MS);
	}
	return model;
}

/* One reading gives rows of these times and pids, in this order. */
static void assert_reading(struct call_events *events, struct model *model, bool is_last,
			   const uint64_t (*rows)[2], size_t nr)
{
	struct call_event event;
	size_t i = 0;

	call_events_begin(events, model, is_last);
	for (; call_events_next(events, &event); i++) {
		assert_true(i < nr);
		assert_int_equal(event.time, rows[i][0] * MS);
		assert_int_equal(event.thread->process->header.pid, rows[i][1]);
	}
	assert_int_equal(i, nr);
	call_events_end(events);
	model_free(model);
}

/* Rows in the order of time, although main's record ends after the last known instant of STAYS. */
static void assert_in_order(uint64_t first_ends_ms, uint64_t second_ends_ms)
{
	static const uint64_t second[][2] = {
		{ 10, ENDS }, { 15, STAYS }, { 16, STAYS }, { 20, ENDS }, { 21, ENDS }, { 30, STAYS },
		{ 31, STAYS },
	}, third[][2] = { { 100, ENDS } };
	struct call_events *events = call_events_new();
	struct build_run run = { .nr = 0 };

	build_two_processes(&run);
	assert_reading(events, load(&run, 50, first_ends_ms), false, NULL, 0);
	assert_reading(events, load(&run, 90, second_ends_ms), false, second, 7);
	assert_reading(events, load(&run, 120, 0), true, third, 1);
	assert_int_equal(call_events_nr_late(events), 0);
	assert_int_equal(call_events_nr_lost(events), 0);
	call_events_free(events);
	for (size_t i = 0; i < run.nr; i++)
		close(run.fds[i]);
}

TEST(what_ends_later_than_a_reading_begins_in_its_order)
{
	assert_in_order(0, 0);
}

TEST(so_does_what_ended_before_its_open_calls_were_looked_at)
{
	assert_in_order(105, 105);
	assert_in_order(105, 0);
}
