/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Uses a known amount of one thing, and prints what it used as the kernel told it:
 *   threads NR MS  NR threads burn MS ms of CPU each by their own clocks, and wait until the input ends: "TID
 *                  CPU_NS WAIT_NS"
 *                  of each before that
 *   files NR       holds NR descriptors more than at its start until its input ends: "N", those it then has
 *   pages MIB      holds MIB MiB of its own and MIB MiB shared with a child until its input ends
 *   turns NR US    NR times sleeps US us in nap() and burns US us of CPU in work(): CPU ns of each, by the
 *                  thread's own clock
 *   sleeps MS [-]  waits in nap() for MS ms, then burns MS ms of CPU in work(); with - until its input ends:
 *                  "done" before that
 * The report must show the same.
 */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile uint64_t sink;
static long burn_ms;

static uint64_t clock_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

__attribute__((noinline)) static void work(long us)
{
	uint64_t end = clock_of(CLOCK_THREAD_CPUTIME_ID) + (uint64_t)us * 1000;

	while (clock_of(CLOCK_THREAD_CPUTIME_ID) < end)
		for (int i = 0; i < 1000; i++)
			sink = sink * 6364136223846793005u + 1;
}

__attribute__((noinline)) static void nap(long us)
{
	usleep((useconds_t)us);
}

/* Does it, within @ms? Calls of it bring the sampling task back after a fork. */
__attribute__((noinline)) static int input_ends(int ms)
{
	struct pollfd input = { STDIN_FILENO, POLLIN, 0 };
	char byte;

	return poll(&input, 1, ms) > 0 && read(STDIN_FILENO, &byte, 1) <= 0;
}

static void wait_for_input(void)
{
	fflush(stdout);
	while (!input_ends(20))
		;
}

static void *burn(void *lock)
{
	unsigned long cpu_ns = 0, wait_ns = 0;
	FILE *file;

	work(burn_ms * 1000);
	file = fopen("/proc/thread-self/schedstat", "r");
	if (!file || fscanf(file, "%lu %lu", &cpu_ns, &wait_ns) != 2)
		exit(1);
	fclose(file);
	pthread_mutex_lock(lock);
	printf("%ld %lu %lu\n", syscall(SYS_gettid), cpu_ns, wait_ns);
	pthread_mutex_unlock(lock);
	wait_for_input();
	return NULL;
}

static void use_threads(int nr)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_t threads[64];

	for (int i = 0; i < nr; i++)
		if (pthread_create(&threads[i], NULL, burn, &lock))
			exit(1);
	for (int i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
}

static void use_files(int nr)
{
	int count = -3;		/* ".", ".." and the one that it is read by */
	DIR *directory;

	for (int i = 0; i < nr; i++)
		if (open("/dev/null", O_RDONLY) < 0)
			exit(1);
	directory = opendir("/proc/self/fd");
	while (readdir(directory))
		count++;
	closedir(directory);
	printf("%d\n", count);
	wait_for_input();
}

static void use_pages(size_t bytes)
{
	char *own = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int ready[2], over[2];
	char byte = 0;

	if (own == MAP_FAILED || shared == MAP_FAILED || pipe(ready) || pipe(over))
		exit(1);
	memset(shared, 1, bytes);
	if (fork() == 0) {
		for (size_t i = 0; i < bytes; i += 4096)
			sink += (uint64_t)shared[i];
		if (write(ready[1], &byte, 1) != 1)
			_exit(1);
		close(over[1]);
		_exit(read(over[0], &byte, 1) != 0);
	}
	memset(own, 1, bytes);
	if (read(ready[0], &byte, 1) != 1)
		exit(1);
	wait_for_input();
	close(over[1]);
	wait(NULL);
}

static void take_turns(long nr, long us)
{
	uint64_t begin, nap_ns = 0, work_ns = 0;

	for (long i = 0; i < nr; i++) {
		begin = clock_of(CLOCK_THREAD_CPUTIME_ID);
		nap(us);
		nap_ns += clock_of(CLOCK_THREAD_CPUTIME_ID) - begin;
		begin = clock_of(CLOCK_THREAD_CPUTIME_ID);
		work(us);
		work_ns += clock_of(CLOCK_THREAD_CPUTIME_ID) - begin;
	}
	printf("%lu %lu\n", (unsigned long)nap_ns, (unsigned long)work_ns);
}

int main(int argc, char **argv)
{
	long number = argc > 2 ? atol(argv[2]) : 0;

	burn_ms = argc > 3 ? atol(argv[3]) : 0;
	if (!strcmp(argv[1], "threads"))
		use_threads((int)number);
	else if (!strcmp(argv[1], "files"))
		use_files((int)number);
	else if (!strcmp(argv[1], "pages"))
		use_pages((size_t)number << 20);
	else if (!strcmp(argv[1], "turns"))
		take_turns(number, burn_ms);
	else if (!strcmp(argv[1], "sleeps")) {
		nap(number * 1000);
		work(number * 1000);
		if (argc > 3) {
			puts("done");
			wait_for_input();
		}
	}
	return 0;
}
