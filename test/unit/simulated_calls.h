/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For test_adaptive: a thread whose calls last what a simulated clock says, and what of the recorder these reach. Ticks are ns. */
#ifndef INSIDEME_TEST_SIMULATED_CALLS_H
#define INSIDEME_TEST_SIMULATED_CALLS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "empty_log.h"
#include "preload/adaptive.h"
#include "preload/helper.h"
#include "preload/preempted.h"
#include "preload/room.h"

#define BUDGET		(8u << 20)
#define THRESHOLD	10000u

struct live live;
uintptr_t live_return_addr;
struct settings settings;
__thread struct log_thread *self;

uint64_t helper_due_ticks;

static uint64_t now = 1000000;

/* What of the recorder the pieces under test reach. */
struct log_thread *thread_make(void)
{
	return self;
}

bool live_is_sealed(void)
{
	return false;
}

uint64_t live_clock_ns(void)
{
	return now;
}

void helper_resume_due(void)
{
}

void path_bucket_wrapped(const struct log_thread *thread, const uint32_t *bucket)
{
	(void)thread, (void)bucket;
	fail();
}

/* The newest wait for a processor, and the newest call that looked before it began. */
static uint64_t waited_at, began_at;

void preempted_begin(struct log_thread *thread)
{
	(void)thread;
	began_at = now;
}

bool preempted_since(struct log_thread *thread, uint64_t since_ticks)
{
	(void)thread;
	assert_true(since_ticks <= began_at);
	return waited_at >= since_ticks;
}

/* A thread in caller(), which calls callee(), and what both really did. */
struct world {
	struct log_header *log;
	int fd;
	struct log_thread *thread;
	struct log_node *caller;
	struct log_node *callee;
	double caller_ticks;
	double callee_ticks;
	uint64_t nr_timed_long;		/* calls that were timed and lasted the threshold */
};

static void begin(struct world *world, uint32_t seed)
{
	struct log_area *nodes;
	struct log_frame *frames;

	memset(world, 0, sizeof(*world));
	world->log = empty_log(BUDGET, &world->fd);
	assert_int_equal(ftruncate(world->fd, BUDGET), 0);
	world->log->file_bytes = BUDGET;
	world->log->next_step_bytes = UINT64_MAX;
	world->log->threshold_floor_ticks = 1000;
	world->log->threshold_set_ns = world->log->threshold_ticks = THRESHOLD;
	live.log = world->log;
	live.clock = LOG_CLOCK_MONOTONIC;
	live.timing = LOG_TIMING_ADAPTIVE;
	settings.source[SETTING_THRESHOLD] = FROM_ENVIRONMENT;
	world->thread = (struct log_thread *)room_new_area(LOG_AREA_THREAD, 0, sizeof(struct log_thread),
							   sizeof(struct log_thread), 0);
	world->thread->random = (uint32_t)seed * 2654435761u;
	nodes = room_new_area(LOG_AREA_NODES, 0, 4096, 4096, sizeof(struct log_node));
	world->caller = (struct log_node *)(nodes + 1);
	world->callee = world->caller + 1;
	world->caller->min_ticks = world->callee->min_ticks = UINT64_MAX;
	frames = (struct log_frame *)(room_new_area(LOG_AREA_FRAMES, 0, 4096, 4096, sizeof(*frames)) + 1);
	world->thread->top_addr = (uint64_t)frames;
}

static void end(struct world *world)
{
	munmap(world->log, BUDGET);
	close(world->fd);
}

static struct log_frame *enter(struct world *world, struct log_node *node)
{
	struct log_frame *frame = call_claim(world->log, world->thread, 1 + log_ref(world->log, node), 0, 0, TIME_SOME);

	adaptive_begin(world->log, world->thread, frame, log_ref(world->log, node));
	return frame;
}

static void leave(struct world *world, const struct log_frame *frame, uint64_t since)
{
	world->nr_timed_long += frame->start_ticks && now - since >= THRESHOLD;
	adaptive_end(world->log, world->thread, top_frame(world->thread), false);
}

static void call_callee(struct world *world, uint64_t ticks)
{
	uint64_t start = now;
	struct log_frame *frame = enter(world, world->callee);

	now += ticks;
	leave(world, frame, start);
	world->callee_ticks += (double)ticks;
}

/* @before, then @nr_calls of @ticks each, in the caller. */
static void call_caller(struct world *world, uint64_t before, int nr_calls, uint64_t ticks)
{
	uint64_t start = now;
	struct log_frame *frame = enter(world, world->caller);

	now += before;
	for (int i = 0; i < nr_calls; i++)
		call_callee(world, ticks);
	leave(world, frame, start);
	world->caller_ticks += (double)(now - start);
	now += 1000;
}

#endif
