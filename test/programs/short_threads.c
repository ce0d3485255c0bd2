/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * short_threads: threads that end between two readings of their times. The first one waits 20 ms for a
 * condition, which is too short to be read at all. Then three compute in compute(), 350 ms of CPU time each,
 * and never wait.
 */
#include <pthread.h>
#include <stdint.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static uint64_t cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

__attribute__((noinline)) static void compute(void)
{
	volatile unsigned int sink = 0;

	for (uint64_t end = cpu_ms() + 350; cpu_ms() < end;)
		for (int i = 0; i < 100000; i++)
			sink++;
}

__attribute__((noinline)) static void wait_20_ms(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 20000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&lock);
	while (pthread_cond_timedwait(&never, &lock, &until) == 0)
		;
	pthread_mutex_unlock(&lock);
}

static void *work(void *waits)
{
	if (waits)
		wait_20_ms();
	else
		compute();
	return NULL;
}

int main(void)
{
	pthread_t threads[3];

	pthread_create(&threads[0], NULL, work, &lock);
	pthread_join(threads[0], NULL);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
