/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Waits of known causes. "keep" holds table_lock 20 times for 5 ms while "update" wants it; main sleeps 10
 * times for 1 ms in "pace", writes 100 bytes one by one to waits.out in "save", and joins both. The report
 * must name the lock, its holder, the file and the sleep. With an argument main waits for the lock for ever,
 * while "keep" holds it.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t begin;
static int nr_updates;

__attribute__((noinline)) static void sleep_us(long us)
{
	nanosleep(&(struct timespec){ 0, us * 1000 }, NULL);
}

__attribute__((noinline)) static void keep(long us)
{
	pthread_mutex_lock(&table_lock);
	sleep_us(us);
	pthread_mutex_unlock(&table_lock);
}

__attribute__((noinline)) static void update(void)
{
	pthread_mutex_lock(&table_lock);
	nr_updates++;
	pthread_mutex_unlock(&table_lock);
}

__attribute__((noinline)) static void pace(void)
{
	for (int i = 0; i < 10; i++)
		sleep_us(1000);
}

__attribute__((noinline)) static void save(void)
{
	int fd = open("waits.out", O_WRONLY | O_CREAT | O_TRUNC, 0600);

	for (int i = 0; i < 100; i++)
		if (write(fd, "x", 1) != 1)
			return;
	close(fd);
}

static void *holder(void *argument)
{
	pthread_barrier_wait(&begin);
	for (int i = 0; i < 20; i++) {
		keep(5000);
		sleep_us(500);
	}
	return argument;
}

static void *updater(void *argument)
{
	pthread_barrier_wait(&begin);
	for (int i = 0; i < 20; i++) {
		sleep_us(1000);
		update();
	}
	return argument;
}

static void *for_ever(void *argument)
{
	pthread_mutex_lock(&table_lock);
	pthread_barrier_wait(&begin);
	for (;;)
		pause();
	return argument;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	pthread_barrier_init(&begin, NULL, 2);
	if (argc > 1) {
		pthread_create(&threads[0], NULL, for_ever, NULL);
		pthread_barrier_wait(&begin);
		update();
	}
	pthread_create(&threads[0], NULL, holder, NULL);
	pthread_create(&threads[1], NULL, updater, NULL);
	pace();
	save();
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", nr_updates);
	return 0;
}
