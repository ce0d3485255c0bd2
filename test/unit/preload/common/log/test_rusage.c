/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload/common/log/rusage: what the process uses, less the calling thread's part. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/common/log/rusage.h"
#include "test/unit/unit.h"

#define OTHERS		5
#define PREEMPTIONS	40
#define READINGS	5000000		/* at most: where nothing preempts the thread */

static long preemptions(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nivcsw;
}

static void *is_preempted(void *unused)
{
	for (int i = 0; i < READINGS && preemptions() < OTHERS; i++)
		;
	return unused;
}

/* Let another process compete for the processor of the calling thread. */
static pid_t compete(void)
{
	cpu_set_t here;
	pid_t child;

	CPU_ZERO(&here);
	CPU_SET(sched_getcpu(), &here);
	assert_int_equal(sched_setaffinity(0, sizeof(here), &here), 0);
	child = fork();
	while (child == 0)
		if (getppid() == 1)
			_exit(0);
	return child;
}

/* Another thread has ended: all that the process used beside the calling thread stays as it is. */
TEST(switches_of_others_do_not_fall_when_the_reader_is_preempted)
{
	const struct own_use none = { 0 };
	struct figures figures, first;
	pthread_t thread;
	pid_t child;
	long begin;

	child = compete();
	assert_int_equal(pthread_create(&thread, NULL, is_preempted, NULL), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	own_use_read(&none, &first);
	begin = preemptions();
	for (int i = 0; i < READINGS && preemptions() < begin + PREEMPTIONS; i++) {
		own_use_read(&none, &figures);
		if (figures.involuntary_switches != first.involuntary_switches)
			break;
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_int_equal(figures.involuntary_switches, first.involuntary_switches);
	assert_int_equal(figures.voluntary_switches, first.voluntary_switches);
}
