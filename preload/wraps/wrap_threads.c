/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Wrappers of pthread_create, thrd_create, pthread_setname_np and pthread_cancel: begin, end and name of
 * threads.
 */
#include "preload/wraps/wraps.h"

#include <errno.h>
#include <limits.h>
#include <threads.h>

#include "preload/common/base/text.h"
#include "preload/life/crash_handler.h"
#include "preload/objects/next_functions.h"
#include "preload/samples/cpu_samples.h"
#include "preload/stacks/thread.h"

/*
 * The function and argument of a new thread, from pthread_create to its first instruction. Not on the heap:
 * a thread that never allocates would get an arena of its own by freeing it.
 */
struct thread_start {
	void *function;			/* of one of the types below; NULL: free; claimed atomically */
	void *argument;
	size_t stack_bytes;
};

#define STARTS_MAX 4096
LARGE static struct thread_start starts[STARTS_MAX];
static uint32_t next_start;		/* where to search first; atomic */

/*
 * The key's destructor sees threads end. It is the first key of the process, so setting it never allocates.
 */
static pthread_key_t end_key;		/* set before any thread */
static bool has_key;

static void end_thread(void)
{
	thread_end();
	crash_end_thread();
}

/*
 * Called in each round of destructors, among the program's own. It arms the key again until the last round,
 * so the calls that those destructors make come before the thread's end.
 */
static void on_thread_end(void *round)
{
	if ((uintptr_t)round < PTHREAD_DESTRUCTOR_ITERATIONS)
		libc.pthread_setspecific(end_key, (void *)((uintptr_t)round + 1));
	else
		end_thread();
}

static void arm_end(void)
{
	if (has_key)
		libc.pthread_setspecific(end_key, (void *)1);
}

void threads_init(void)
{
	has_key = libc.pthread_key_create(&end_key, on_thread_end) == 0;
	arm_end();	/* main may leave by pthread_exit() */
}

/* NULL if thousands of threads are just starting: such a thread is seen at its first event. */
static struct thread_start *claim_start(void *function)
{
	for (uint32_t tries = 0; tries < STARTS_MAX; tries++) {
		uint32_t i = __atomic_fetch_add(&next_start, 1, __ATOMIC_RELAXED) % STARTS_MAX;
		void *nobody = NULL;

		if (__atomic_compare_exchange_n(&starts[i].function, &nobody, function, false,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return &starts[i];
	}
	return NULL;
}

static void free_start(struct thread_start *start)
{
	__atomic_store_n(&start->function, NULL, __ATOMIC_RELEASE);
}

static size_t stack_bytes_of(const pthread_attr_t *attributes)
{
	pthread_attr_t defaults;
	size_t bytes = 0;

	if (!attributes) {
		libc.pthread_attr_init(&defaults);
		attributes = &defaults;
	}
	libc.pthread_attr_getstacksize(attributes, &bytes);
	return bytes;
}

/*
 * The thread's stack ends below its control block. pthread_getattr_np() would allocate, so the range is the
 * one that the program asked for. If libc gave more, the stack seems to have grown later.
 */
static NOINLINE void begin_thread(const struct thread_start *start)
{
	uintptr_t end = (uintptr_t)__builtin_thread_pointer();

	thread_begin(start->function, end - start->stack_bytes, start->stack_bytes);
	crash_begin_thread();
	arm_end();
}

static void *run_thread(void *place)
{
	struct thread_start start = *(struct thread_start *)place;

	free_start(place);
	begin_thread(&start);
	return ((void *(*)(void *))start.function)(start.argument);
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
			  void *argument)
{
	struct thread_start *start;
	int error;

	if (!real_find(pthread_create))
		return EAGAIN;
	start = live.log || live_open_child() ? claim_start((void *)function) : NULL;
	if (!start)
		return real.pthread_create(thread, attributes, function, argument);
	start->argument = argument;
	start->stack_bytes = stack_bytes_of(attributes);
	error = real.pthread_create(thread, attributes, run_thread, start);
	if (error)
		free_start(start);
	return error;
}

/* C11 threads: for these, libc does not call pthread_create() by its name. */
static int run_c11_thread(void *place)
{
	struct thread_start start = *(struct thread_start *)place;

	free_start(place);
	begin_thread(&start);
	return ((thrd_start_t)start.function)(start.argument);
}

EXPORT int thrd_create(thrd_t *thread, thrd_start_t function, void *argument)
{
	struct thread_start *start;
	int error;

	if (!real_find(thrd_create))
		return thrd_error;
	start = live.log || live_open_child() ? claim_start((void *)function) : NULL;
	if (!start)
		return real.thrd_create(thread, function, argument);
	start->argument = argument;
	start->stack_bytes = stack_bytes_of(NULL);
	error = real.thrd_create(thread, run_c11_thread, start);
	if (error != thrd_success)
		free_start(start);
	return error;
}

/* It uses the signal that samples use. */
EXPORT int pthread_cancel(pthread_t thread)
{
	if (!real_find(pthread_cancel))
		return ENOSYS;
	samples_stop("pthread_cancel() needs the signal");
	return real.pthread_cancel(thread);
}

/*
 * A thread's CPU clock contains its number, by the kernel's ABI. libc has no other way to find another
 * thread's number.
 */
static struct log_thread *record_of(pthread_t thread)
{
	clockid_t clock;

	if (thread == libc.pthread_self())
		return self;
	return libc.pthread_getcpuclockid(thread, &clock) == 0 ? record_of_tid(~(uint32_t)(clock >> 3))
							       : NULL;
}

EXPORT int pthread_setname_np(pthread_t thread, const char *name)
{
	struct log_thread *record;
	int error;

	if (!real_find(pthread_setname_np))
		return ENOSYS;
	error = real.pthread_setname_np(thread, name);
	/* A thread without a record reads its name when it gets one. */
	record = !error && live.log ? record_of(thread) : NULL;
	if (record)
		thread_name(record, name);
	return error;
}
