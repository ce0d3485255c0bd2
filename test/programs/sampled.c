/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What CPU samples (INSIDEME_SAMPLE) must not disturb, and what they must find: sampled KIND. Exits with 0
 * when nothing was disturbed; prints "cpu_ns N", its own CPU time by getrusage.
 *   burn       main and three threads use 400 ms each: the samples of burn, with those missed, make up that
 *              time
 *   split      two functions, long() three times as much as short(): so are their samples
 *   calls      poll, nanosleep, a read of a pipe and pause between bursts of work: none may end early
 *   wait       all signals blocked, work, then sigwait, sigtimedwait and a signalfd: only the program's own
 *              arrive
 *   suspend    all signals blocked, work, then sigsuspend: ends by the program's own signal alone
 *   own        the program's own timer at 10 kHz, whose handler makes calls: each expiry is seen
 *   notify     a timer with SIGEV_THREAD, for which libc uses the same signal as the samples
 *   cancel     pthread_cancel, which does too
 *   forks      60 children that work, one after the other
 *   execs      execs itself 40 times from the middle of work
 *   threads    1,100 threads that work a little
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define UNSEEN __attribute__((no_instrument_function))
#define MS 1000000u

static char **arguments;
static volatile uint64_t sink;
static volatile sig_atomic_t nr_signals;

UNSEEN static uint64_t clock_now(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

UNSEEN static void use(uint64_t ns)
{
	uint64_t end = clock_now(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (clock_now(CLOCK_THREAD_CPUTIME_ID) < end)
		for (int i = 0; i < 1000; i++)
			sink = sink * 6364136223846793005u + 1;
}

UNSEEN static void expect(int is_true, const char *what)
{
	if (is_true)
		return;
	fprintf(stderr, "sampled: %s: %s\n", what, strerror(errno));
	exit(1);
}

__attribute__((noinline)) static void burn(uint64_t ns) { use(ns); }
__attribute__((noinline)) static void long_part(void) { use(30 * MS); }
__attribute__((noinline)) static void short_part(void) { use(10 * MS); }
__attribute__((noinline)) static void touch(void) { sink++; }

static void *burn_some(void *ms)
{
	burn((uintptr_t)ms * MS);
	return NULL;
}

static void test_burn(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		expect(pthread_create(&threads[i], NULL, burn_some, (void *)400) == 0, "pthread_create");
	burn(400 * MS);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

static void test_split(void)
{
	for (int i = 0; i < 25; i++) {
		long_part();
		short_part();
	}
}

static void on_signal(int number)
{
	nr_signals++;
}

static void *wake(void *thread)
{
	usleep(20000);
	pthread_kill(*(pthread_t *)thread, SIGUSR1);
	return NULL;
}

static void test_calls(void)
{
	pthread_t self = pthread_self(), waker;
	int ends[2];
	char byte;

	signal(SIGUSR1, on_signal);
	expect(pipe(ends) == 0, "pipe");
	for (int i = 0; i < 20; i++) {
		struct pollfd poll_for = { ends[0], POLLIN, 0 };
		struct timespec time = { 0, 1 * MS };

		burn(4 * MS);
		expect(poll(&poll_for, 1, 2) == 0, "poll");
		burn(2 * MS);
		expect(nanosleep(&time, NULL) == 0, "nanosleep");
		burn(2 * MS);
		expect(write(ends[1], "x", 1) == 1 && read(ends[0], &byte, 1) == 1, "read");
	}
	expect(nr_signals == 0, "a signal of nobody");
	pthread_create(&waker, NULL, wake, &self);
	pause();
	expect(nr_signals == 1, "pause ended by itself");
	pthread_join(waker, NULL);
}

static void block_all(sigset_t *set)
{
	sigfillset(set);
	expect(pthread_sigmask(SIG_SETMASK, set, NULL) == 0, "pthread_sigmask");
}

static void test_wait(void)
{
	const struct timespec soon = { 0, 20 * MS };
	struct signalfd_siginfo info;
	sigset_t set;
	int number, fd;

	burn(20 * MS);
	block_all(&set);
	fd = signalfd(-1, &set, SFD_NONBLOCK);
	for (int i = 0; i < 5; i++) {
		burn(10 * MS);
		raise(SIGUSR1);
		expect(sigwait(&set, &number) == 0 && number == SIGUSR1, "sigwait");
		burn(10 * MS);
		expect(sigtimedwait(&set, NULL, &soon) == -1 && errno == EAGAIN, "sigtimedwait");
		burn(10 * MS);
		expect(read(fd, &info, sizeof(info)) == -1 && errno == EAGAIN, "signalfd");
	}
}

static void test_suspend(void)
{
	sigset_t set, none;

	burn(20 * MS);
	signal(SIGUSR1, on_signal);
	block_all(&set);
	sigemptyset(&none);
	for (int i = 0; i < 20; i++) {
		burn(8 * MS);
		raise(SIGUSR1);
		sigsuspend(&none);
		expect(nr_signals == i + 1, "sigsuspend ended by itself");
	}
}

static void on_expiry(int number, siginfo_t *info, void *context)
{
	touch();
	nr_signals += 1 + info->si_overrun;
}

static void test_own(void)
{
	struct sigaction action = { .sa_sigaction = on_expiry, .sa_flags = SA_SIGINFO };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 3 };
	struct itimerspec times = { { 0, MS / 10 }, { 0, MS / 10 } };
	uint64_t begin = clock_now(CLOCK_MONOTONIC), passed;
	timer_t timer;

	sigaction(SIGRTMIN + 3, &action, NULL);
	expect(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0, "timer_create");
	timer_settime(timer, 0, &times, NULL);
	for (int i = 0; i < 400; i++)
		burn(MS);
	times.it_value.tv_nsec = 0;
	passed = clock_now(CLOCK_MONOTONIC) - begin;
	timer_settime(timer, 0, &times, NULL);
	expect((uint64_t)nr_signals * MS / 10 >= passed / 10 * 9, "expiries are missing");
}

static void on_notify(union sigval value)
{
	__atomic_fetch_add(&nr_signals, 1, __ATOMIC_RELAXED);
	free(malloc(100));
	touch();
}

static void test_notify(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_notify };
	struct itimerspec times = { { 0, 2 * MS }, { 0, 2 * MS } };
	timer_t timer;

	expect(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0, "timer_create");
	timer_settime(timer, 0, &times, NULL);
	for (int i = 0; i < 200; i++)
		burn(MS);
	expect(nr_signals >= 10, "notifications are missing");
}

static void *burn_until_cancelled(void *unused)
{
	for (;;) {
		burn(MS);
		pthread_testcancel();
	}
	return unused;
}

static void test_cancel(void)
{
	pthread_t thread;
	void *result;

	for (int i = 0; i < 20; i++) {
		pthread_create(&thread, NULL, burn_until_cancelled, NULL);
		burn(10 * MS);
		expect(pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0 &&
			       result == PTHREAD_CANCELED,
		       "pthread_cancel");
	}
}

static void test_forks(void)
{
	for (int i = 0; i < 60; i++) {
		pid_t child = fork();
		int status;

		if (child == 0) {
			burn(6 * MS);
			_exit(7);
		}
		burn(MS);
		expect(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
			       WEXITSTATUS(status) == 7,
		       "a child");
	}
}

/* A signal that comes between the old image's end and the new one's start would kill it. */
static void test_execs(void)
{
	int left = arguments[2] ? atoi(arguments[2]) : 40;
	char number[16];

	burn(6 * MS);
	if (left == 0)
		return;
	snprintf(number, sizeof(number), "%d", left - 1);
	execl("/proc/self/exe", arguments[0], arguments[1], number, NULL);
	expect(0, "execl");
}

static void test_threads(void)
{
	pthread_t thread;

	for (int i = 0; i < 1100; i++)
		expect(pthread_create(&thread, NULL, burn_some, (void *)0) == 0 &&
			       pthread_join(thread, NULL) == 0,
		       "pthread_create");
}

static const struct {
	const char *name;
	void (*run)(void);
} kinds[] = {
	{ "burn", test_burn },	   { "split", test_split },	{ "calls", test_calls },
	{ "wait", test_wait },	   { "suspend", test_suspend }, { "own", test_own },
	{ "notify", test_notify }, { "cancel", test_cancel },	{ "forks", test_forks },
	{ "execs", test_execs },   { "threads", test_threads },
};

int main(int argc, char **argv)
{
	struct rusage usage;

	arguments = argv;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (argc < 2 || strcmp(argv[1], kinds[i].name) != 0)
			continue;
		kinds[i].run();
		getrusage(RUSAGE_SELF, &usage);
		printf("cpu_ns %lld\n", (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000ll +
		       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000ll);
		return 0;
	}
	return 2;
}
