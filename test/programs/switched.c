/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Recording goes off and on. leaf adds 1, step calls leaf twice. Argument:
 *   (none)    the report must show: step 15 and leaf 30 below main;part, none of the 20 while it was off;
 *             nest: leaf 2 of 6
 *   open      opened 1 (it ends while recording is off), late 0 (it begins then), in the gap below main leaf
 *             7, in main then leaf 3
 *   deep      down 4 of 8, one within the other; the gap is below the fourth; leaf 1 after all
 *   jumps     leaf 5 below main after each of 20 jumps out of what was not recorded: 100
 *   fork      a child that begins while it is off: leaf 6, in its parent none
 *   regions   region on 4, off none
 *   threads   three threads make calls while main switches all the time: sound, whatever the counts
 *   time      300 ms while it is off: that long is the gap, and main's self time is not
 *   focus     leaf while it is off, then outer, in which it goes on, and inner: with a focus on leaf it has 2
 *             calls, at the root
 *   signal    SIGUSR1 switches: leaf 3 of 5; the program has no handler
 *   handled   SIGUSR1 has a handler of the program's own: leaf 5 of 5
 */
#include <insideme.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile long sink, goes_on = 1;

__attribute__((noinline)) static void leaf(void)
{
	sink++;
}

__attribute__((noinline)) static void step(void)
{
	leaf();
	leaf();
}

__attribute__((noinline)) static void steps(int nr)
{
	for (int i = 0; i < nr; i++)
		step();
}

static void leaves(int nr)
{
	for (int i = 0; i < nr; i++)
		leaf();
}

/* Without the recorder each call returns that error. */
static void expect(int found, int expected)
{
	if (found != expected && found != -ENODATA) {
		printf("%d for %d\n", found, expected);
		exit(1);
	}
}

__attribute__((noinline)) static void part(void)
{
	steps(10);
	expect(insideme_disable(), 0);
	steps(20);
	expect(insideme_enable(), 1);
	steps(5);
}

/* Pairs nest, in either order. */
__attribute__((noinline)) static void nest(void)
{
	expect(insideme_disable(), 0);
	expect(insideme_disable(), 0);
	leaf();
	expect(insideme_enable(), 0);
	leaf();
	expect(insideme_enable(), 1);
	leaf();
	expect(insideme_enable(), 1);
	leaf();
	expect(insideme_disable(), 1);
	expect(insideme_disable(), 0);
	leaf();
	leaf();
	expect(insideme_enable(), 1);
}

__attribute__((noinline)) static void opened(void)
{
	expect(insideme_disable(), 0);
	leaves(100);
}

__attribute__((noinline)) static void late(void)
{
	leaf();
	expect(insideme_enable(), 1);
	leaves(7);
}

__attribute__((noinline)) static void down(int depth)
{
	if (depth == 5)
		insideme_disable();
	if (depth > 1)
		down(depth - 1);
	if (depth == 3)
		insideme_enable();
}

static jmp_buf target;

__attribute__((noinline)) static void leave(int depth)
{
	if (depth)
		leave(depth - 1);
	else if (sink >= 0)
		longjmp(target, 1);
}

static void jumps(void)
{
	for (volatile int i = 0; i < 20; i++) {
		insideme_disable();
		if (!setjmp(target))
			leave(i % 3);
		leaf();
		insideme_enable();
		leaves(5);
	}
}

static void forks(void)
{
	int status = 0;
	pid_t child;

	insideme_disable();
	leaf();
	child = fork();
	if (!child) {
		leaf();
		insideme_enable();
		leaves(6);
		_exit(3);
	}
	waitpid(child, &status, 0);
	leaf();
	printf("child %d\n", WEXITSTATUS(status));
}

static void regions(void)
{
	for (int i = 0; i < 8; i++) {
		if (i == 4)
			insideme_disable();
		INSIDEME_REGION("region");
		sink++;
	}
	insideme_enable();
}

static void *run_thread(void *unused)
{
	while (goes_on)
		step();
	return unused;
}

static void threads(void)
{
	pthread_t ids[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&ids[i], NULL, run_thread, NULL);
	for (int i = 0; i < 3000; i++) {
		insideme_disable();
		steps(i % 5);
		insideme_enable();
		steps(i % 7);
	}
	goes_on = 0;
	for (int i = 0; i < 3; i++)
		pthread_join(ids[i], NULL);
}

__attribute__((noinline)) static void nap(void)
{
	struct timespec time = { .tv_nsec = 150000000 };

	nanosleep(&time, NULL);
}

static void times(void)
{
	insideme_disable();
	nap();
	nap();
	insideme_enable();
	leaf();
}

__attribute__((noinline)) static void inner(void)
{
	leaf();
	sink++;
}

__attribute__((noinline)) static void outer(void)
{
	insideme_enable();
	inner();
	sink++;
}

static void focus(void)
{
	insideme_disable();
	leaf();
	outer();
	leaf();
}

static void on_signal(int number)
{
	sink += number;
}

static void signals(int is_handled)
{
	if (is_handled)
		signal(SIGUSR1, on_signal);
	leaves(2);
	if (is_handled || getenv("INSIDEME_SIGNAL"))
		raise(SIGUSR1);
	leaves(2);
	if (is_handled || getenv("INSIDEME_SIGNAL"))
		raise(SIGUSR1);
	leaf();
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "open")) {
		opened();
		late();
		leaves(3);
	} else if (!strcmp(what, "deep")) {
		down(8);
		leaf();
	} else if (!strcmp(what, "jumps")) {
		jumps();
	} else if (!strcmp(what, "fork")) {
		forks();
	} else if (!strcmp(what, "regions")) {
		regions();
	} else if (!strcmp(what, "threads")) {
		threads();
	} else if (!strcmp(what, "focus")) {
		focus();
	} else if (!strcmp(what, "time")) {
		times();
	} else if (!strcmp(what, "signal") || !strcmp(what, "handled")) {
		signals(!strcmp(what, "handled"));
	} else {
		part();
		nest();
	}
	printf("done\n");
	return 0;
}
