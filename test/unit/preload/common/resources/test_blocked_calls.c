/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload/common/resources/blocked_calls: how long a thread was blocked, if the kernel tells parts late. */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "preload/common/base/clock.h"
#include "preload/common/log/log.h"
#include "preload/common/resources/blocked_calls.h"
#include "test/unit/empty_log.h"
#include "test/unit/unit.h"

#define NO_TID		0x7fffffff	/* nothing is known of it, as of a thread that is ready */
#define READY_MS	200
#define BLOCKED_NS	2000000

static void *sleep_long(void *tid)
{
	__atomic_store_n((int *)tid, (int)gettid(), __ATOMIC_RELEASE);
	for (;;)
		pause();
	return NULL;
}

static void look(struct blocked_log *of, struct blocked_thread *thread, int tid, uint64_t used_ns, int log_fd)
{
	static int task_fd = -1;
	char buffer[256];

	if (task_fd < 0)
		task_fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	blocked_look(of, thread, task_fd, tid, used_ns, log_fd, buffer, sizeof(buffer));
}

/* The kernel adds the time that a thread was ready when the thread gets a processor: all of it at once. */
TEST(time_ready_that_is_told_late_is_not_blocked)
{
	const struct timespec ready = { .tv_nsec = READY_MS * 1000000l };
	struct blocked_thread thread = { .read_ns = 0 };
	struct read_count count = { .calls = 0 };
	struct blocked_log of = { .is_on = true, .count = &count };
	const struct log_blocked *sum;
	int tid = 0, log_fd;
	pthread_t sleeper;

	of.log = empty_log(1 << 20, &log_fd);
	assert_int_equal(pthread_create(&sleeper, NULL, sleep_long, &tid), 0);
	while (!__atomic_load_n(&tid, __ATOMIC_ACQUIRE))
		sched_yield();
	look(&of, &thread, NO_TID, 0, log_fd);
	const uint64_t begin_ns = thread.read_ns;

	nanosleep(&ready, NULL);
	look(&of, &thread, NO_TID, 0, log_fd);
	assert_int_equal(of.nr_areas, 0);
	nanosleep(&(struct timespec){ .tv_nsec = 2 * BLOCKED_NS }, NULL);
	look(&of, &thread, tid, clock_ns(CLOCK_MONOTONIC) - begin_ns - BLOCKED_NS, log_fd);
	assert_int_equal(of.nr_areas, 1);
	sum = (const struct log_blocked *)((const struct log_area *)log_at(of.log, of.areas[0]) + 1);
	assert_int_equal(sum->call, SYS_pause);
	assert_in_range(sum->blocked_ns, BLOCKED_NS, READY_MS * 1000000ull / 2);
}
