/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Locks in the heap. main waits for each while another thread holds it for 20 ms. The report must say where
 * each was initialised, or the name that the program gave it. All use the same memory, one after the other.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

#include "insideme.h"

#define NOINLINE __attribute__((noinline))

union lock {
	pthread_mutex_t mutex;
	pthread_rwlock_t rwlock;
	sem_t semaphore;
	mtx_t mtx;
	pthread_cond_t condition;
	cnd_t cnd;
};

static union lock *lock;
static pthread_barrier_t held;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static int nr_errors, is_set;

static void expect(int status, int expected)
{
	nr_errors += status != expected;
}

static void hold(void)
{
	pthread_barrier_wait(&held);
	thrd_sleep(&(struct timespec){ 0, 20000000 }, NULL);
}

static void *hold_mutex(void *argument)
{
	pthread_mutex_lock(&lock->mutex);
	hold();
	pthread_mutex_unlock(&lock->mutex);
	return argument;
}

static void *hold_rwlock(void *argument)
{
	pthread_rwlock_wrlock(&lock->rwlock);
	hold();
	pthread_rwlock_unlock(&lock->rwlock);
	return argument;
}

static void *hold_semaphore(void *argument)
{
	hold();
	sem_post(&lock->semaphore);
	return argument;
}

static void *hold_mtx(void *argument)
{
	mtx_lock(&lock->mtx);
	hold();
	mtx_unlock(&lock->mtx);
	return argument;
}

static void *signal_condition(void *argument)
{
	pthread_mutex_lock(&guard);
	is_set = 1;
	pthread_cond_signal(&lock->condition);
	pthread_mutex_unlock(&guard);
	return argument;
}

static pthread_t begin(void *(*function)(void *))
{
	pthread_t thread;

	pthread_create(&thread, NULL, function, NULL);
	pthread_barrier_wait(&held);
	return thread;
}

static void take_mutex(void)
{
	pthread_t thread = begin(hold_mutex);

	pthread_mutex_lock(&lock->mutex);
	pthread_mutex_unlock(&lock->mutex);
	pthread_join(thread, NULL);
}

NOINLINE static void made(void)
{
	pthread_mutex_init(&lock->mutex, NULL); /* made */
	pthread_mutex_lock(&lock->mutex);
	expect(pthread_mutex_destroy(&lock->mutex), EBUSY); /* it lives on */
	pthread_mutex_unlock(&lock->mutex);
	take_mutex();
}

NOINLINE static void named(void)
{
	expect(insideme_name_lock(&lock->mutex, "queue lock"), 0);
	take_mutex();
}

NOINLINE static void again(void)
{
	pthread_mutex_destroy(&lock->mutex);
	pthread_mutex_init(&lock->mutex, NULL); /* again */
	take_mutex();
}

NOINLINE static void unknown(void)
{
	pthread_mutex_destroy(&lock->mutex);
	lock->mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	take_mutex();
}

NOINLINE static void others(void)
{
	pthread_t thread;

	pthread_rwlock_init(&lock->rwlock, NULL); /* rwlock */
	thread = begin(hold_rwlock);
	pthread_rwlock_rdlock(&lock->rwlock);
	pthread_rwlock_unlock(&lock->rwlock);
	pthread_join(thread, NULL);
	pthread_rwlock_destroy(&lock->rwlock);
	sem_init(&lock->semaphore, 0, 0); /* semaphore */
	thread = begin(hold_semaphore);
	sem_wait(&lock->semaphore);
	pthread_join(thread, NULL);
	sem_destroy(&lock->semaphore);
	mtx_init(&lock->mtx, mtx_plain); /* mtx */
	thread = begin(hold_mtx);
	mtx_lock(&lock->mtx);
	mtx_unlock(&lock->mtx);
	pthread_join(thread, NULL);
	mtx_destroy(&lock->mtx);
}

NOINLINE static void conditions(void)
{
	struct timespec soon;
	mtx_t mutex;
	pthread_t thread;

	pthread_cond_init(&lock->condition, NULL); /* condition */
	pthread_mutex_lock(&guard);
	pthread_create(&thread, NULL, signal_condition, NULL);
	while (!is_set)
		pthread_cond_wait(&lock->condition, &guard);
	pthread_mutex_unlock(&guard);
	pthread_join(thread, NULL);
	expect(pthread_cond_destroy(&lock->condition), 0);
	lock->condition = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
	timespec_get(&soon, TIME_UTC);
	pthread_mutex_lock(&guard);
	expect(pthread_cond_timedwait(&lock->condition, &guard, &soon), ETIMEDOUT);
	pthread_mutex_unlock(&guard);
	mtx_init(&mutex, mtx_plain);
	mtx_lock(&mutex);
	cnd_init(&lock->cnd); /* cnd */
	expect(cnd_timedwait(&lock->cnd, &mutex, &soon), thrd_timedout);
	cnd_destroy(&lock->cnd);
}

int main(void)
{
	lock = malloc(sizeof(*lock));
	pthread_barrier_init(&held, NULL, 2);
	if (insideme_name_lock(lock, "x") != -ENODATA) {
		expect(insideme_name_lock(NULL, "x"), -EINVAL);
		expect(insideme_name_lock(lock, NULL), -EINVAL);
	} else {
		nr_errors = -1; /* without the recorder */
	}
	made();
	if (nr_errors >= 0)
		named();
	again();
	unknown();
	others();
	conditions();
	free(lock);
	printf("%d errors\n", nr_errors);
	return 0;
}
