/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Wrappers of locks. A lock is tried first. Any result but EBUSY is returned, so robust, recursive and
 * error-checking mutexes keep their meaning, and a free lock costs no reading of the clock. After EBUSY the
 * holder is read, and the real call waits.
 */
#include <errno.h>

#include "preload/objects/next_functions.h"
#include "preload/waits/lock_names.h"
#include "preload/waits/waits.h"

#define STACK_ADDR ((uintptr_t)__builtin_frame_address(0))
#define CALLER ((uintptr_t)__builtin_return_address(0))

/* Fields of glibc's locks, as its header has them. */
static uint32_t mutex_holder(const pthread_mutex_t *mutex)
{
	return (uint32_t)__atomic_load_n(&mutex->__data.__owner, __ATOMIC_RELAXED);
}

/* Readers are not known: for a lock that they hold it is 0. */
static uint32_t rwlock_holder(const pthread_rwlock_t *lock)
{
	return (uint32_t)__atomic_load_n(&lock->__data.__cur_writer, __ATOMIC_RELAXED);
}

static uint32_t mtx_holder(const mtx_t *mutex)
{
	return mutex_holder((const pthread_mutex_t *)mutex);
}

/*
 * @try: the attempt, whose result is @busy if the lock is taken. The part that waits is a function of its
 * own, so a free lock needs no frame.
 */
#define LOCK_WRAPPER(function, parameters, arguments, lock, try, busy, holder, failure)                      \
	static NOINLINE int function##_slowly(uintptr_t stack_addr, uintptr_t caller_addr, STRIP parameters) \
	{                                                                                                    \
		static struct wait_function known = { #function, LOG_WAIT_LOCK, 0 };                         \
		struct wait wait;                                                                            \
		int result;                                                                                  \
                                                                                                             \
		wait_begin(&wait, &known, WAIT_FOR_LOCK(lock, holder(lock)), stack_addr, caller_addr);       \
		result = real.function arguments;                                                            \
		wait_end(&wait, 0);                                                                          \
		return result;                                                                               \
	}                                                                                                    \
                                                                                                             \
	EXPORT int function parameters                                                                       \
	{                                                                                                    \
		int result;                                                                                  \
                                                                                                             \
		if (unlikely(!real_find(function)))                                                          \
			return failure;                                                                      \
		if (unlikely(!waits_on() || !real_find(try)))                                                \
			return real.function arguments;                                                      \
		result = real.try(lock);                                                                     \
		if (likely(result != (busy)))                                                                \
			return result;                                                                       \
		return function##_slowly(STACK_ADDR, CALLER, STRIP arguments);                               \
	}
#define STRIP(...) __VA_ARGS__

LOCK_WRAPPER(pthread_mutex_lock, (pthread_mutex_t * mutex), (mutex), mutex, pthread_mutex_trylock, EBUSY,
	     mutex_holder, ENOSYS)
LOCK_WRAPPER(pthread_mutex_timedlock,
	     (pthread_mutex_t *restrict mutex, const struct timespec *restrict until), (mutex, until), mutex,
	     pthread_mutex_trylock, EBUSY, mutex_holder, ENOSYS)
LOCK_WRAPPER(pthread_mutex_clocklock,
	     (pthread_mutex_t *restrict mutex, clockid_t clock, const struct timespec *restrict until),
	     (mutex, clock, until), mutex, pthread_mutex_trylock, EBUSY, mutex_holder, ENOSYS)
LOCK_WRAPPER(pthread_rwlock_rdlock, (pthread_rwlock_t * lock), (lock), lock, pthread_rwlock_tryrdlock, EBUSY,
	     rwlock_holder, ENOSYS)
LOCK_WRAPPER(pthread_rwlock_wrlock, (pthread_rwlock_t * lock), (lock), lock, pthread_rwlock_trywrlock, EBUSY,
	     rwlock_holder, ENOSYS)
LOCK_WRAPPER(pthread_rwlock_timedrdlock,
	     (pthread_rwlock_t *restrict lock, const struct timespec *restrict until), (lock, until), lock,
	     pthread_rwlock_tryrdlock, EBUSY, rwlock_holder, ENOSYS)
LOCK_WRAPPER(pthread_rwlock_timedwrlock,
	     (pthread_rwlock_t *restrict lock, const struct timespec *restrict until), (lock, until), lock,
	     pthread_rwlock_trywrlock, EBUSY, rwlock_holder, ENOSYS)
LOCK_WRAPPER(pthread_rwlock_clockrdlock,
	     (pthread_rwlock_t *restrict lock, clockid_t clock, const struct timespec *restrict until),
	     (lock, clock, until), lock, pthread_rwlock_tryrdlock, EBUSY, rwlock_holder, ENOSYS)
LOCK_WRAPPER(pthread_rwlock_clockwrlock,
	     (pthread_rwlock_t *restrict lock, clockid_t clock, const struct timespec *restrict until),
	     (lock, clock, until), lock, pthread_rwlock_trywrlock, EBUSY, rwlock_holder, ENOSYS)
LOCK_WRAPPER(mtx_lock, (mtx_t * mutex), (mutex), mutex, mtx_trylock, thrd_busy, mtx_holder, thrd_error)
LOCK_WRAPPER(mtx_timedlock, (mtx_t *restrict mutex, const struct timespec *restrict until), (mutex, until),
	     mutex, mtx_trylock, thrd_busy, mtx_holder, thrd_error)

#define NAMED_LIFE_WRAPPER(name, type, function, parameters, arguments, note, failure) \
	EXPORT type name parameters;                                                     \
	EXPORT type name parameters                                                      \
	{                                                                                \
		if (unlikely(!real_find(function)))                                      \
			return failure;                                                  \
		note;                                                                    \
		return real.function arguments;                                          \
	}
#define LIFE_WRAPPER(type, function, ...) NAMED_LIFE_WRAPPER(function, type, function, __VA_ARGS__)
LOCK_LIFE_FUNCTIONS(LIFE_WRAPPER)
#define CONDITION_LIFE_WRAPPER(type, function, ...) \
	NAMED_LIFE_WRAPPER(any_##function, type, function, __VA_ARGS__)
CONDITION_LIFE_FUNCTIONS(CONDITION_LIFE_WRAPPER)
EXPORT_NEW_VERSION(any_pthread_cond_init, pthread_cond_init);
EXPORT_NEW_VERSION(any_pthread_cond_destroy, pthread_cond_destroy);
EXPORT_OLD_VERSION(any_old_pthread_cond_init, pthread_cond_init);
EXPORT_OLD_VERSION(any_old_pthread_cond_destroy, pthread_cond_destroy);

#define END_WRAPPER(type, function, parameters, arguments, failure) \
	EXPORT type function parameters                               \
	{                                                             \
		type result;                                          \
                                                                      \
		if (unlikely(!real_find(function)))                   \
			return failure;                               \
		result = real.function arguments;                     \
		if (result == 0)                                      \
			lock_destroyed(lock);                         \
		return result;                                        \
	}
LOCK_END_FUNCTIONS(END_WRAPPER)

/* ---- locks without a holder ---- */

/*
 * sem_trywait() would set errno. If another thread takes the semaphore in between, this one blocks without a
 * record.
 */
static bool is_free(sem_t *semaphore)
{
	int value;

	return !waits_on() || !real_find(sem_getvalue) ||
	       (real.sem_getvalue(semaphore, &value) == 0 && value > 0);
}

static bool never(const void *object)
{
	return !waits_on();
}

#define OBJECT_WRAPPER(name, function, next, parameters, arguments, object, wait_kind, is_quick, failure)    \
	EXPORT int function parameters;                                                                      \
	EXPORT int function parameters                                                                       \
	{                                                                                                    \
		static struct wait_function known = { name, LOG_WAIT_##wait_kind, 0 };                       \
		struct wait wait;                                                                            \
		int result;                                                                                  \
                                                                                                             \
		if (unlikely(!real_find(next)))                                                              \
			return failure;                                                                      \
		if (is_quick(object))                                                                        \
			return real.next arguments;                                                          \
		wait_begin(&wait, &known, WAIT_FOR_LOCK(object, 0), STACK_ADDR, CALLER);                     \
		result = real.next arguments;                                                                \
		wait_end(&wait, 0);                                                                          \
		return result;                                                                               \
	}

OBJECT_WRAPPER("sem_wait", sem_wait, sem_wait, (sem_t * semaphore), (semaphore), semaphore, SEMAPHORE,
	       is_free, -1)
OBJECT_WRAPPER("sem_timedwait", sem_timedwait, sem_timedwait,
	       (sem_t *restrict semaphore, const struct timespec *restrict until), (semaphore, until),
	       semaphore, SEMAPHORE, is_free, -1)
OBJECT_WRAPPER("sem_clockwait", sem_clockwait, sem_clockwait,
	       (sem_t *restrict semaphore, clockid_t clock, const struct timespec *restrict until),
	       (semaphore, clock, until), semaphore, SEMAPHORE, is_free, -1)
OBJECT_WRAPPER("pthread_barrier_wait", pthread_barrier_wait, pthread_barrier_wait,
	       (pthread_barrier_t * barrier), (barrier), barrier, BARRIER, never, ENOSYS)
OBJECT_WRAPPER("cnd_wait", cnd_wait, cnd_wait, (cnd_t * condition, mtx_t *mutex), (condition, mutex),
	       condition, CONDITION, never, thrd_error)
OBJECT_WRAPPER("cnd_timedwait", cnd_timedwait, cnd_timedwait,
	       (cnd_t *restrict condition, mtx_t *restrict mutex, const struct timespec *restrict until),
	       (condition, mutex, until), condition, CONDITION, never, thrd_error)
OBJECT_WRAPPER("pthread_cond_clockwait", pthread_cond_clockwait, pthread_cond_clockwait,
	       (pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, clockid_t clock,
		const struct timespec *restrict until),
	       (condition, mutex, clock, until), condition, CONDITION, never, ENOSYS)

/* A condition of the old version has another struct: each version calls its own function. */
#define CONDITION_WRAPPERS(function, next)                                                                   \
	OBJECT_WRAPPER("pthread_cond_wait", function##_wait, next##_wait,                                    \
		       (pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex),                \
		       (condition, mutex), condition, CONDITION, never, ENOSYS)                              \
	OBJECT_WRAPPER("pthread_cond_timedwait", function##_timedwait, next##_timedwait,                     \
		       (pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,                 \
			const struct timespec *restrict until),                                              \
		       (condition, mutex, until), condition, CONDITION, never, ENOSYS)
CONDITION_WRAPPERS(new_condition, pthread_cond)
CONDITION_WRAPPERS(old_condition, old_pthread_cond)
EXPORT_NEW_VERSION(new_condition_wait, pthread_cond_wait);
EXPORT_NEW_VERSION(new_condition_timedwait, pthread_cond_timedwait);
EXPORT_OLD_VERSION(old_condition_wait, pthread_cond_wait);
EXPORT_OLD_VERSION(old_condition_timedwait, pthread_cond_timedwait);
