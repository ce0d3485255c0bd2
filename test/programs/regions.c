/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Regions of the source; built without hooks as well (regions.plain), where the regions alone are in the
 * tree. Argument:
 *   (none)   the report must show: step 1000 calls, in it inner 2000 and again 500; loop 300 within loop 300
 *            within loop
 *            300 (recursion); thread 4 x 100 in 4 threads; handler 10, in a signal handler
 *   jumps    out of a region by longjmp, 50 times: left 50 calls, after 50, not in left
 *   fork     a child goes on in step and ends its own child_part 7
 *   names    names with separators, quotes, newlines, bytes that are no UTF-8, and one that is too long
 *   misuse   NULL, ends without a begin, what is open when its outer one ends
 */
#include <insideme.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile long sink;

static void step(void)
{
	INSIDEME_REGION("step");
	for (int i = 0; i < 2; i++) {
		INSIDEME_REGION("inner");
		sink++;
	}
	if (sink % 4 == 0) {
		insideme_begin("again");
		sink += 2;
		sink -= 2;
		insideme_end("again");
	}
}

static int loop(int depth)
{
	INSIDEME_REGION("loop");

	return depth > 1 ? loop(depth - 1) + 1 : 1;
}

static void *run_thread(void *unused)
{
	for (int i = 0; i < 100; i++) {
		INSIDEME_REGION("thread");
		sink++;
	}
	return unused;
}

static void handler(int number)
{
	INSIDEME_REGION("handler");
	sink += number > 0;
}

static void ordinary(void)
{
	pthread_t threads[4];
	int loops = 0;

	for (int i = 0; i < 1000; i++)
		step();
	for (int i = 0; i < 300; i++)
		loops += loop(3);
	signal(SIGUSR1, handler);
	for (int i = 0; i < 10; i++) {
		INSIDEME_REGION("raise");
		raise(SIGUSR1);
	}
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, run_thread, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	printf("loops %d\n", loops);
}

static jmp_buf target;

__attribute__((noinline)) static void leave(int number)
{
	INSIDEME_REGION("left");
	if (sink >= 0)
		longjmp(target, number);
}

__attribute__((noinline)) static void after(void)
{
	INSIDEME_REGION("after");
	sink++;
}

static void jumps(void)
{
	for (volatile int i = 0; i < 50; i++) {
		if (!setjmp(target))
			leave(1);
		after();
	}
	printf("jumped\n");
}

static void forks(void)
{
	INSIDEME_REGION("parent_part");
	pid_t child = fork();
	int status = 0;

	if (!child) {
		for (int i = 0; i < 7; i++) {
			INSIDEME_REGION("child_part");
			sink++;
		}
		_exit(3);
	}
	waitpid(child, &status, 0);
	printf("child %d\n", WEXITSTATUS(status));
}

static void names(void)
{
	static const char *const odd[] = { "a,b;c",	   "say \"hi\"",     "two\nlines",
					   "tab\there",	   "\xff\xfe bytes", "",
					   "f(int) const", "grün",	     "<script>alert(1)</script>" };
	char longest[1000];

	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		insideme_begin(odd[i]);
		insideme_end(odd[i]);
	}
	insideme_begin(longest);
	insideme_end(longest);
	printf("names\n");
}

static int misuse(void)
{
	int loaded = insideme_begin("outer") == 0;
	int null = insideme_begin(NULL), end_null = insideme_end(NULL);

	insideme_end("never begun");
	for (int i = 0; i < 3; i++) {
		insideme_begin("left open");
		insideme_begin("open too");
		insideme_end("left open");
	}
	insideme_begin("open at the end");
	if (null != end_null || null != (loaded ? -EINVAL : -ENODATA))
		return 1;
	{
		INSIDEME_REGION(NULL);
		sink++;
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int status = 0;

	if (!strcmp(what, "jumps"))
		jumps();
	else if (!strcmp(what, "fork"))
		forks();
	else if (!strcmp(what, "names"))
		names();
	else if (!strcmp(what, "misuse"))
		status = misuse();
	else
		ordinary();
	return status;
}
