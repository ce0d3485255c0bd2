/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * preload/monitor/watch/log_in_maps: processes that have mapped their log, others, and some that end while
 * they are examined.
 */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "preload/common/run/process_id.h"
#include "preload/monitor/watch/log_in_maps.h"
#include "test/unit/unit.h"

#define PAGE		4096ul
#define NR_MAPPINGS	20000u		/* their text takes ms to read */
#define SOON_NS		1000000

static struct log_header log_of(const void *mapped)
{
	return (struct log_header){ .base_addr = (uintptr_t)mapped };
}

static uint64_t own_start(void)
{
	uint64_t start;
	uint32_t parent;

	assert_int_equal(process_parent(PROCESS_SELF, &parent, &start), 0);
	return start;
}

TEST(test_own)
{
	void *shared = mmap(NULL, PAGE, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	void *private = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const struct log_header mapped = log_of(shared), other = log_of(private), nowhere = log_of(NULL);

	assert_false(image_is_another(getpid(), own_start(), &mapped));
	assert_false(image_is_another(getpid(), own_start(), &nowhere));
	assert_true(image_is_another(getpid(), own_start(), &other));
	assert_true(image_is_another(getpid(), 0, &other));
	munmap(shared, PAGE);
	munmap(private, PAGE);
}

/* As by a number of another pid namespace, or one that was given again. */
TEST(test_pid_of_another_process)
{
	const struct log_header other = log_of((void *)PAGE);

	assert_false(image_is_another(getpid(), own_start() + 1, &other));
}

static void *kill_soon(void *pid)
{
	const struct timespec soon = { .tv_nsec = SOON_NS };

	nanosleep(&soon, NULL);
	kill(*(pid_t *)pid, SIGKILL);
	return NULL;
}

/* Each second page may not be read: so they are mappings of their own. */
static void have_many_mappings(void)
{
	char *pages = mmap(NULL, NR_MAPPINGS * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (unsigned i = 0; i < NR_MAPPINGS; i += 2)
		mprotect(pages + i * PAGE, PAGE, PROT_NONE);
}

/* Its map is cut short before the log, which lies above the others. */
TEST(test_process_that_ends_meanwhile)
{
	void *shared = mmap(NULL, PAGE, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const struct log_header mapped = log_of(shared);
	pthread_t killer;
	pid_t child;

	have_many_mappings();
	child = fork();
	if (child == 0)
		for (;;)
			pause();
	pthread_create(&killer, NULL, kill_soon, &child);
	assert_false(image_is_another(child, 0, &mapped));
	pthread_join(killer, NULL);
	assert_false(image_is_another(child, 0, &mapped));	/* a zombie */
	waitpid(child, NULL, 0);
	assert_false(image_is_another(child, 0, &mapped));
}
