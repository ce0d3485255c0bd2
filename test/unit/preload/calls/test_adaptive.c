/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload/adaptive: what timed calls say of all, against durations that a simulated clock makes known. Ticks are ns. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "preload/calls/adaptive.h"
#include "preload/stacks/thread.h"
#include "preload/state/log_space.h"
#include "preload/state/sampler_task.h"
#include "test/unit/empty_log.h"

#define BUDGET		(8u << 20)
#define THRESHOLD	10000u
#define WORLDS		400

struct live live;
bool live_is_private;
struct settings settings;
__thread struct log_thread *self;

uint64_t sampler_task_due_ticks;

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

void sampler_task_resume_due(void)
{
}

void path_bucket_wrapped(const struct log_thread *thread, const uint32_t *bucket)
{
	(void)thread, (void)bucket;
	fail();
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
	world->thread = (struct log_thread *)log_space_new_area(LOG_AREA_THREAD, 0, sizeof(struct log_thread),
								sizeof(struct log_thread), 0);
	world->thread->random = (uint32_t)seed * 2654435761u;
	nodes = log_space_new_area(LOG_AREA_NODES, 0, 4096, 4096, sizeof(struct log_node));
	world->caller = (struct log_node *)(nodes + 1);
	world->callee = world->caller + 1;
	world->caller->min_ticks = world->callee->min_ticks = UINT64_MAX;
	frames =
		(struct log_frame *)(log_space_new_area(LOG_AREA_FRAMES, 0, 4096, 4096, sizeof(*frames)) + 1);
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

static uint64_t about(double mean)
{
	return (uint64_t)(-mean * log(1 - drand48()));
}

static double share_timed(const struct log_node *node)
{
	return (double)log_node_timed_calls(node) / (double)node->calls;
}

static uint64_t weights(const struct log_node *node)
{
	uint64_t sum = 0;

	for (int i = 0; i < LOG_BUCKETS; i++)
		sum += node->histogram[i];
	return sum;
}

/* Errors of an estimate over many worlds, and what each world said of its own. */
struct errors {
	double sum;
	double squares;
	double told_squares;
};

static void note(struct errors *errors, double estimate, double truth, double variance)
{
	errors->sum += estimate - truth;
	errors->squares += (estimate - truth) * (estimate - truth);
	errors->told_squares += variance;
}

/* No bias beyond chance, 4 standard errors; and the errors are as large as was told, or a little smaller. */
static void check(const char *what, const struct errors *errors)
{
	double mean = errors->sum / WORLDS, rms = sqrt(errors->squares / WORLDS), told = sqrt(errors->told_squares / WORLDS);

	print_message("%s: mean error %.0f, standard error %.0f, told %.0f\n", what, mean, rms, told);
	assert_true(fabs(mean) < 4 * rms / sqrt(WORLDS));
	assert_true(rms > 0 && told > 0.9 * rms && told < 1.5 * rms);
}

static double variance_of(const struct log_node *node)
{
	return ldexp((double)node->variance, LOG_VARIANCE_SHIFT);
}

/* Slow at first, then fast, then in between: who timed the first calls alone would be off several times over. */
static double mean_at(int i)
{
	return i < 1000 ? 1500 : i < 15000 ? 60 : 300;
}

static void estimates_are_unbiased_and_know_their_error(void **state)
{
	struct errors caller = { 0 }, callee = { 0 }, self_time = { 0 };

	(void)state;
	srand48(1);
	for (uint32_t i = 0; i < WORLDS; i++) {
		struct world world;

		begin(&world, i + 1);
		for (int j = 0; j < 20000; j++)
			call_caller(&world, about(100), (int)(drand48() * 4), about(mean_at(j)));
		assert_int_equal(world.caller->calls, 20000);
		assert_true(fabs((double)weights(world.caller) - 20000) <= 1 << LOG_SHIFT_MAX);
		note(&caller, (double)world.caller->total_ticks, world.caller_ticks, variance_of(world.caller));
		note(&callee, (double)world.callee->total_ticks, world.callee_ticks, variance_of(world.callee));
		note(&self_time, (double)(int64_t)(world.caller->total_ticks - world.caller->child_ticks),
		     world.caller_ticks - world.callee_ticks, variance_of(world.caller) + variance_of(world.callee));
		assert_int_equal(world.caller->child_ticks, world.callee->total_ticks);
		end(&world);
	}
	check("total of the caller", &caller);
	check("total of the callee", &callee);
	check("self of the caller", &self_time);
}

static void few_calls_and_long_ones_are_all_timed(void **state)
{
	struct world world;

	(void)state;
	begin(&world, 1);
	for (int i = 0; i < 500; i++)
		call_callee(&world, 10);
	assert_int_equal(world.callee->untimed_calls, 0);
	assert_int_equal(world.callee->total_ticks, 5000);
	for (int i = 0; i < 100000; i++)
		call_caller(&world, 3000, 0, 0);
	assert_int_equal(world.caller->untimed_calls, 0);
	assert_int_equal(world.caller->total_ticks, 300000000);
	assert_int_equal(world.caller->variance, 0);
	end(&world);
}

/* The longer, the more are timed; where all calls last the same there is nothing to err about. */
static void of_short_calls_few_are_timed(void **state)
{
	static const struct { uint64_t ticks; double most; double least; } cases[] = {
		{ 8, 0.010, 0.007 }, { 100, 0.07, 0.03 }, { 700, 0.51, 0.24 }, { 2100, 1, 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct world world;

		begin(&world, 1);
		for (int j = 0; j < 1000000; j++)
			call_callee(&world, cases[i].ticks);
		assert_true(share_timed(world.callee) <= cases[i].most && share_timed(world.callee) >= cases[i].least);
		assert_true(fabs((double)world.callee->total_ticks - world.callee_ticks) <=
			    (double)cases[i].ticks * (1 << LOG_SHIFT_MAX));
		assert_int_equal(world.callee->variance, 0);
		end(&world);
	}
}

/* Shorter calls than were known make more of them timed again, at once. */
static void a_path_that_gets_slow_is_timed_again(void **state)
{
	struct world world;
	uint64_t untimed;

	(void)state;
	begin(&world, 7);
	for (int i = 0; i < 1000000; i++)
		call_callee(&world, 20);
	for (int i = 0; i < 500; i++)
		call_callee(&world, 100000);
	untimed = world.callee->untimed_calls;
	for (int i = 0; i < 500; i++)
		call_callee(&world, 100000);
	assert_int_equal(world.callee->untimed_calls, untimed);
	end(&world);
}

/* In all areas of slices of the log. */
static uint64_t count_slices(const struct log_header *log)
{
	uint64_t sum = 0;

	for (uint64_t at = LOG_HEADER_BYTES; at < log->tail_bytes;) {
		const struct log_slices *area = (const struct log_slices *)((const char *)log + at);

		if (area->head.kind == LOG_AREA_SLICES)
			sum += area->nr_slices;
		at += area->head.bytes;
	}
	return sum;
}

/* Of 2000 long ones among 1,000,000 calls: those that a timed callee shows are all there. */
static void outliers_that_a_callee_shows_are_caught(void **state)
{
	struct world world;

	(void)state;
	begin(&world, 3);
	for (int i = 0; i < 1000000; i++)
		call_caller(&world, 20, i % 500 == 0, 50000);
	assert_true(share_timed(world.caller) < 0.2);
	assert_int_equal(count_slices(world.log), 4000);
	assert_true(world.nr_timed_long < 3000);
	end(&world);
}

/* Nothing is read within them; only those are seen that are timed themselves. */
static void outliers_between_two_readings_are_missed(void **state)
{
	struct world world;

	(void)state;
	begin(&world, 3);
	for (int i = 0; i < 1000000; i++)
		call_caller(&world, i % 500 == 0 ? 50000 : 20, 0, 0);
	assert_true(count_slices(world.log) < 1000);
	assert_int_equal(count_slices(world.log), world.nr_timed_long);
	end(&world);
}

/* A long time in the caller before the call is none of the call's. */
static void time_before_a_call_is_not_taken_for_its_own(void **state)
{
	struct world world;
	struct log_frame *frame;

	(void)state;
	begin(&world, 5);
	for (int i = 0; i < 100000; i++)
		call_caller(&world, 20, 1, 20);
	do
		frame = enter(&world, world.caller);
	while (frame->start_ticks && (adaptive_end(world.log, world.thread, frame, false), true));
	now += 50000;
	adaptive_end(world.log, world.thread, frame, false);
	for (int i = 0; i < 1000; i++) {
		now += 50000;
		call_caller(&world, 20, 1, 20);
	}
	assert_int_equal(count_slices(world.log), 0);
	end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(estimates_are_unbiased_and_know_their_error),
		cmocka_unit_test(few_calls_and_long_ones_are_all_timed),
		cmocka_unit_test(of_short_calls_few_are_timed),
		cmocka_unit_test(a_path_that_gets_slow_is_timed_again),
		cmocka_unit_test(outliers_that_a_callee_shows_are_caught),
		cmocka_unit_test(outliers_between_two_readings_are_missed),
		cmocka_unit_test(time_before_a_call_is_not_taken_for_its_own),
	};

	return cmocka_run_group_tests_name("adaptive", tests, NULL, NULL);
}
