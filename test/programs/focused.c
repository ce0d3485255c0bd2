/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The focus changes while the program runs. part calls leaf 10 times, other calls leaf 10 times. Argument:
 *   turns     with focus part: part 3 of 6, leaf 30 below it, other none of 3; then all again: part 2, other 2; then
 *             other: part none of 4, other 4. main is open all the time, deep calls itself
 *   recursive down(4) begins without a focus, and calls itself 4 times with a focus elsewhere: down 5, leaf none
 *   jumps     with focus part, 20 jumps out of part and what is in no focus: part 20
 *   storm N   N ms: another thread changes the focus 1,000 times a second between three lists; two threads make
 *             calls. Sound, whatever the counts; prints how many changes there were
 *   wait      calls part and other until there is a file "stop"
 */
#include <errno.h>
#include <insideme.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile long sink, is_over;
static jmp_buf back;

__attribute__((noinline)) static void leaf(void)
{
	sink++;
}

__attribute__((noinline)) static void part(void)
{
	for (int i = 0; i < 10; i++)
		leaf();
}

__attribute__((noinline)) static void other(void)
{
	for (int i = 0; i < 10; i++)
		leaf();
}

static void calls(int nr_parts, int nr_others)
{
	for (int i = 0; i < nr_parts; i++)
		part();
	for (int i = 0; i < nr_others; i++)
		other();
}

static void expect(int found, int expected)
{
	if (found != expected && found != -ENODATA) {
		printf("%d for %d\n", found, expected);
		exit(1);
	}
}

static void turns(void)
{
	expect(insideme_focus("part"), 0);
	calls(3, 3);
	expect(insideme_focus(NULL), 0);
	calls(2, 2);
	expect(insideme_focus("other"), 0);
	calls(4, 4);
}

__attribute__((noinline)) static void down(int nr)
{
	if (nr == 4)
		expect(insideme_focus("part"), 0);
	if (nr)
		down(nr - 1);
	leaf();
	sink++;
}

__attribute__((noinline)) static void leave(void)
{
	longjmp(back, 1);
}

__attribute__((noinline)) static void jumping_part(int nr)
{
	if (nr & 1)
		leave();
	else
		longjmp(back, 1);
	sink++;
}

static void jumps(void)
{
	expect(insideme_focus("jumping_part"), 0);
	for (volatile int i = 0; i < 20; i++)
		if (!setjmp(back))
			jumping_part(i);
	expect(insideme_focus("leaf"), 0);
	calls(1, 0);
}

static void *call(void *unused)
{
	while (!is_over)
		calls(1, 1);
	return unused;
}

static void *change(void *unused)
{
	static const char *const lists[] = { "part", "", "other,leaf" };
	const struct timespec pause = { .tv_nsec = 1000000 };
	long nr;

	for (nr = 0; !is_over; nr++) {
		expect(insideme_focus(lists[nr % 3]), 0);
		nanosleep(&pause, NULL);
	}
	printf("%ld changes\n", nr);
	return unused;
}

static void storm(int ms)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, i ? call : change, NULL);
	usleep((useconds_t)ms * 1000);
	is_over = 1;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "turns";

	if (!strcmp(what, "turns"))
		turns();
	else if (!strcmp(what, "recursive"))
		down(4);
	else if (!strcmp(what, "jumps"))
		jumps();
	else if (!strcmp(what, "storm"))
		storm(atoi(argv[2]));
	else
		while (access("stop", F_OK))
			calls(1, 1);
	return 0;
}
