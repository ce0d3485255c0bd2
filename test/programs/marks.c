/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a program says of itself. The report must show
 *   marks     phase one, phase two, each once, in that order; in a thread too: 10 x tick
 *   failures  timeout "no answer, from \"host\"" in the region request
 *   counters  level from 0 to 9 and last -2.5; a million values of many, the last 999999
 *   timers    work: 3 spans, each 20 ms and 30 ms in pauses; across: 1, started and stopped in different
 *             threads
 * Prints how many calls gave a wrong result: 0, with and without the recorder.
 */
#include <insideme.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static struct insideme_timer across = INSIDEME_TIMER("across");
static int wrong;

static void pass(int ms)
{
	struct timespec time = { .tv_nsec = ms * 1000000l };

	nanosleep(&time, NULL);
}

/* Without the recorder each call says so. */
static void expect(int found, int expected)
{
	wrong += found != expected && found != -ENODATA;
}

/* The seconds of a stop; without the recorder 0. */
static void expect_seconds(double found, double least, double most)
{
	wrong += !(insideme_rss() ? found >= least && found <= most : found == 0);
}

/* Without the recorder it is 0. */
static void expect_error(double found, int expected)
{
	wrong += found != (insideme_rss() ? expected : 0);
}

static void *run_thread(void *unused)
{
	for (int i = 0; i < 10; i++)
		expect(insideme_mark("tick"), 0);
	expect_seconds(insideme_stop(&across), 1e-9, 10);
	return unused;
}

static void work(void)
{
	struct insideme_timer timer = INSIDEME_TIMER("work");

	for (int i = 0; i < 3; i++) {
		expect(insideme_start(&timer), 0);
		pass(10);
		expect(insideme_pause(&timer), 0);
		pass(10);
		expect(insideme_pause(&timer), 0);
		pass(10);
		expect(insideme_resume(&timer), 0);
		expect(insideme_resume(&timer), 0);
		pass(10);
		expect(insideme_pause(&timer), 0);
		pass(10);
		expect_seconds(insideme_stop(&timer), 0.02, 10);
	}
}

/* What a timer shows, and a time that was measured otherwise. */
static void show(void)
{
	struct insideme_timer timer = INSIDEME_TIMER("shown");
	double first, second, stopped;

	wrong += insideme_elapsed(&timer) != 0;
	expect(insideme_start(&timer), 0);
	pass(10);
	first = insideme_elapsed(&timer);
	pass(10);
	stopped = insideme_stop(&timer);
	second = insideme_elapsed(&timer);
	wrong += fabs(stopped - second) > 1e-3;
	pass(10);
	wrong += fabs(insideme_elapsed(&timer) - second) > 1e-3;
	if (insideme_rss())
		wrong += !(first >= 0.01 && second >= first + 0.01 && second < 10);
	expect(insideme_add("added", 1.5), 0);
	expect(insideme_add("added", 0.5), 0);
	if (insideme_rss())
		wrong += insideme_timing("added", INSIDEME_TOTAL) != 2 || insideme_timing("added", INSIDEME_MEAN) != 1;
	expect(insideme_add(NULL, 1), -EINVAL);
	expect(insideme_add("added", -1), -EINVAL);
	expect(insideme_add("added", NAN), -EINVAL);
}

static void copy(int deep)
{
	expect(insideme_begin("copy"), 0);
	expect(insideme_moved(1000), 0);
	if (deep)
		copy(deep - 1);
	expect(insideme_end("copy"), 0);
}

/* 3,000 bytes in a region within itself, 5,000 in a function below the outer one. */
static void move(void)
{
	expect(insideme_begin("move"), 0);
	copy(2);
	expect(insideme_moved(5000), 0);
	expect(insideme_end("move"), 0);
}

static void misuse(void)
{
	struct insideme_timer timer = INSIDEME_TIMER("misused"), none = INSIDEME_TIMER(NULL), other;

	memset(&other, 0x5a, sizeof(other));
	other.name = "not made";
	expect(insideme_pause(&timer), -ESRCH);
	expect(insideme_resume(&timer), -ESRCH);
	expect_error(insideme_stop(&timer), -ESRCH);
	expect(insideme_start(&timer), 0);
	expect(insideme_start(&timer), -EALREADY);
	expect_seconds(insideme_stop(&timer), 1e-9, 1);
	expect_error(insideme_stop(&timer), -ESRCH);
	expect(insideme_start(NULL), -EINVAL);
	expect_error(insideme_stop(NULL), -EINVAL);
	expect(insideme_start(&none), -EINVAL);
	expect(insideme_start(&other), -EINVAL);
	expect_error(insideme_stop(&other), -EINVAL);
	expect(insideme_mark(NULL), -EINVAL);
	expect(insideme_fail(NULL, "message"), -EINVAL);
	expect(insideme_counter(NULL, 1), -EINVAL);
	expect(insideme_counter("level", NAN), -EINVAL);
	expect(insideme_counter("level", -INFINITY), -EINVAL);
}

int main(void)
{
	pthread_t thread;

	insideme_mark("phase one");
	{
		INSIDEME_REGION("request");
		expect(insideme_fail("timeout", "no answer, from \"host\""), 0);
	}
	for (int i = 0; i < 10; i++) {
		expect(insideme_counter("level", i), 0);
		pass(1);
	}
	insideme_counter("level", -2.5);
	for (int i = 0; i < 1000000; i++)
		insideme_counter("many", i);
	expect(insideme_start(&across), 0);
	pthread_create(&thread, NULL, run_thread, NULL);
	pthread_join(thread, NULL);
	work();
	show();
	move();
	misuse();
	insideme_mark("phase two");
	printf("wrong %d\n", wrong);
	return wrong;
}
