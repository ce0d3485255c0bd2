/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a program asks, and says of what it does. Argument:
 *   (none)   counts that it knows, without the recorder 0; ends with 1 if one is wrong
 *   table    prints insideme_summary()
 *   numbers  prints RSS, peak and time as the library and /proc or libc tell them, rank and size
 *   fields   the report must show: compute in field solver, store and the region flush in field I/O, other in
 *            @other
 *   handler  asks in a signal handler while other threads make regions
 */
#include <insideme.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile long sink, goes_on = 1;
static int wrong;

static int is_loaded(void)
{
	return insideme_mark("is loaded") == 0;
}

/* @alone: without the recorder. */
static void expect(const char *what, long found, long expected, long alone)
{
	if (!is_loaded())
		expected = alone;
	if (found == expected)
		return;
	printf("%s: %ld, expected %ld\n", what, found, expected);
	wrong = 1;
}

static void pass(long ms)
{
	struct timespec time = { .tv_nsec = ms * 1000000 };

	nanosleep(&time, NULL);
}

static void loop(int depth)
{
	INSIDEME_REGION("loop");
	sink++;
	if (depth > 1)
		loop(depth - 1);
	else
		pass(20);
}

static void work(int nr)
{
	struct insideme_timer timer = INSIDEME_TIMER("work");

	for (int i = 0; i < nr; i++) {
		insideme_start(&timer);
		pass(10);
		insideme_stop(&timer);
	}
}

static long calls_of(const char *name)
{
	struct insideme_sum sum;
	int status = insideme_sum_of(name, &sum);

	return status ? status : (long)sum.calls;
}

static void *run_thread(void *unused)
{
	for (int i = 0; i < 1000; i++) {
		INSIDEME_REGION("in threads");
		sink++;
	}
	return unused;
}

static void *run_on(void *unused)
{
	while (goes_on) {
		INSIDEME_REGION("on and on");
		sink++;
	}
	return unused;
}

static int count_names(void)
{
	struct insideme_sum sum;
	char last[INSIDEME_NAME_MAX + 1] = "";
	int nr = 0;

	for (int end = insideme_sum_after(NULL, &sum); !end; end = insideme_sum_after(sum.name, &sum)) {
		if (nr++ && strcmp(last, sum.name) >= 0)
			return -1;
		strcpy(last, sum.name);
	}
	return nr;
}

static void in_child(void)
{
	pid_t child = fork();
	int status = 0;

	if (!child) {
		work(2);
		expect("work in the child", calls_of("work"), 2, -ENODATA);
		_exit(wrong);
	}
	waitpid(child, &status, 0);
	expect("the child", WEXITSTATUS(status), 0, 0);
}

static void sums(void)
{
	struct insideme_sum sum = { .calls = 0 };
	pthread_t threads[4];
	double before = insideme_wtime(), taken, timed, mean;

	expect("nothing yet", calls_of("work"), -ENOENT, -ENODATA);
	expect("no name", insideme_sum_of(NULL, &sum), -EINVAL, -ENODATA);
	expect("no room", insideme_sum_of("work", NULL), -EINVAL, -ENODATA);
	expect("no such name", insideme_reset("none"), -ENOENT, -ENODATA);
	work(5);
	taken = insideme_wtime() - before;
	timed = insideme_timing("work", INSIDEME_TOTAL);
	expect("work", calls_of("work"), 5, -ENODATA);
	expect("at least 5 x 10 ms", timed >= 0.05, 1, 0);
	expect("at most all of it", timed <= taken * 1.01, 1, 1);
	mean = insideme_timing("work", INSIDEME_MEAN);
	expect("the mean", mean > timed / 5 * 0.99 && mean < timed / 5 * 1.01, 1, 0);
	loop(3);
	loop(3);
	expect("loop", calls_of("loop"), 6, -ENODATA);
	expect("twice 20 ms, counted once", insideme_timing("loop", INSIDEME_TOTAL) >= 0.04, 1, 0);
	expect("three calls within each other, all of 20 ms", insideme_timing("loop", INSIDEME_MEAN) >= 0.02, 1, 0);
	insideme_sum_of("loop", &sum);
	expect("no more than calls and time", sum.max_ns <= sum.total_ns && sum.min_ns >= 20000000, 1, 0);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, run_thread, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	expect("in threads", calls_of("in threads"), 4000, -ENODATA);
	expect("names", count_names(), 3, 0);
	expect("reset of all but what comes", insideme_timing("work", INSIDEME_RESET) >= 0.05, 1, 0);
	expect("work after its reset", calls_of("work"), 0, -ENODATA);
	work(1);
	expect("work, once more", calls_of("work"), 1, -ENODATA);
	expect("loop as ever", calls_of("loop"), 6, -ENODATA);
	expect("reset", insideme_reset(NULL), 0, -ENODATA);
	expect("loop after the reset", calls_of("loop"), 0, -ENODATA);
	in_child();
}

static void table(void)
{
	loop(2);
	work(3);
	printf("lines %d\n", insideme_summary(stdout));
	printf("nowhere %d\n", insideme_summary(NULL) == -EINVAL);
}

static void numbers(void)
{
	struct rusage usage;
	struct timespec now;
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");
	double time = insideme_wtime();

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!file || fscanf(file, "%*u %lu", &pages) != 1)
		return;
	fclose(file);
	getrusage(RUSAGE_SELF, &usage);
	printf("rss %lu %lu\n", (unsigned long)insideme_rss(), pages * (unsigned long)sysconf(_SC_PAGESIZE));
	printf("peak %lu %lu\n", (unsigned long)insideme_peak(), (unsigned long)usage.ru_maxrss * 1024);
	printf("time %d\n",
	       time <= (double)now.tv_sec + (double)now.tv_nsec / 1e9 && time > (double)now.tv_sec - 10);
	printf("rank %d of %d\n", insideme_rank(), insideme_size());
	insideme_snapshot("here");
}

__attribute__((noinline)) static void compute(void)
{
	INSIDEME_FIELD("solver");
	sink++;
}

__attribute__((noinline)) static void store(void)
{
	INSIDEME_FIELD("I/O");
	INSIDEME_REGION("flush");
	INSIDEME_FIELD("I/O");
	sink++;
}

__attribute__((noinline)) static void other(void)
{
	sink++;
}

static void fields(void)
{
	for (int i = 0; i < 100; i++) {
		compute();
		store();
		other();
	}
}

static void on_signal(int number)
{
	struct insideme_sum sum;

	insideme_sum_of("on and on", &sum);
	insideme_sum_after(NULL, &sum);
	insideme_reset("on and on");
	sink += (long)insideme_rss() + (long)insideme_peak() + insideme_rank() + number;
	insideme_disable();
	insideme_enable();
	INSIDEME_FIELD("signals");
}

static void handler(void)
{
	pthread_t threads[2];

	signal(SIGUSR1, on_signal);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run_on, NULL);
	for (int i = 0; i < 300; i++)
		pthread_kill(threads[i % 2], SIGUSR1);
	goes_on = 0;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "table"))
		table();
	else if (!strcmp(what, "numbers"))
		numbers();
	else if (!strcmp(what, "fields"))
		fields();
	else if (!strcmp(what, "handler"))
		handler();
	else
		sums();
	printf("wrong %d\n", wrong);
	return wrong;
}
