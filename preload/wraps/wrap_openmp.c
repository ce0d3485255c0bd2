/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Wrappers of what compilers call of libgomp (GOMP_) and libomp (__kmpc_) for OpenMP: waits for a team or a
 * lock, and parallel regions, whose caller waits for the team at the begin and at the end.
 */
#include "preload/objects/next_functions.h"
#include "preload/stacks/team_calls.h"
#include "preload/waits/waits.h"

#define STACK_ADDR ((uintptr_t)__builtin_frame_address(0))
#define CALLER ((uintptr_t)__builtin_return_address(0))

#define OPENMP_WRAPPER(type, function, parameters, arguments, label)                                         \
	EXPORT type function parameters;                                                                     \
	EXPORT type function parameters                                                                      \
	{                                                                                                    \
		static struct wait_function known = { label, LOG_WAIT_BARRIER, 0 };                          \
		struct wait wait;                                                                            \
                                                                                                             \
		if (unlikely(!real_find(function)))                                                          \
			return;                                                                              \
		if (unlikely(!waits_on())) {                                                                 \
			real.function arguments;                                                             \
			return;                                                                              \
		}                                                                                            \
		wait_begin(&wait, &known, WAIT_FOR_LOCK(NULL, 0), STACK_ADDR, CALLER);                       \
		real.function arguments;                                                                     \
		wait_end(&wait, 0);                                                                          \
	}
OPENMP_FUNCTIONS(OPENMP_WRAPPER)

/*
 * ---- critical sections and locks: a thread that need not wait leaves no record, as with mutexes ----
 */

/*
 * The threads that are in critical sections or wait before them. Runtimes cannot be asked whether a section
 * is free. Sections whose locks share a number may be taken for waits; these then last some ns.
 */
static uint32_t nr_inside[64];

static uint32_t *threads_inside(const void *lock)
{
	return &nr_inside[(uintptr_t)lock / 4 * 0x9e3779b1u >> 16 & 63];
}

#define CRITICAL_WRAPPER(type, function, parameters, arguments, lock)                                        \
	EXPORT type function parameters;                                                                     \
	EXPORT type function parameters                                                                      \
	{                                                                                                    \
		static struct wait_function known = { "omp critical", LOG_WAIT_LOCK, 0 };                    \
		struct wait wait;                                                                            \
                                                                                                             \
		if (unlikely(!real_find(function)))                                                          \
			return;                                                                              \
		if (__atomic_fetch_add(threads_inside(lock), 1, __ATOMIC_RELAXED) == 0 || !waits_on()) {     \
			real.function arguments;                                                             \
			return;                                                                              \
		}                                                                                            \
		wait_begin(&wait, &known, WAIT_FOR_LOCK(lock, 0), STACK_ADDR, CALLER);                       \
		real.function arguments;                                                                     \
		wait_end(&wait, 0);                                                                          \
	}
CRITICAL_FUNCTIONS(CRITICAL_WRAPPER)

/* The number falls after the section is free, so that no thread waits for it unnoticed. */
#define CRITICAL_END_WRAPPER(type, function, parameters, arguments, lock)                                    \
	EXPORT type function parameters;                                                                     \
	EXPORT type function parameters                                                                      \
	{                                                                                                    \
		if (unlikely(!real_find(function)))                                                          \
			return;                                                                              \
		real.function arguments;                                                                     \
		__atomic_fetch_sub(threads_inside(lock), 1, __ATOMIC_RELAXED);                               \
	}
CRITICAL_END_FUNCTIONS(CRITICAL_END_WRAPPER)

#define OPENMP_LOCK_WRAPPER(type, function, parameters, arguments, try)                                      \
	EXPORT type function parameters;                                                                     \
	EXPORT type function parameters                                                                      \
	{                                                                                                    \
		static struct wait_function known = { "omp lock", LOG_WAIT_LOCK, 0 };                        \
		struct wait wait;                                                                            \
                                                                                                             \
		if (unlikely(!real_find(function)))                                                          \
			return;                                                                              \
		if (unlikely(!waits_on() || !real_find(try))) {                                              \
			real.function arguments;                                                             \
			return;                                                                              \
		}                                                                                            \
		if (likely(real.try(lock)))                                                                  \
			return;                                                                              \
		wait_begin(&wait, &known, WAIT_FOR_LOCK(lock, 0), STACK_ADDR, CALLER);                       \
		real.function arguments;                                                                     \
		wait_end(&wait, 0);                                                                          \
	}
OPENMP_LOCK_FUNCTIONS(OPENMP_LOCK_WRAPPER)

/*
 * ---- parallel regions: the runtime gets a body of ours, which knows when the caller's part has ended ----
 */

/* On the stack of the region's caller, which returns when all threads of the team have left the body. */
struct region {
	const void *thread; /* the caller */
	uint32_t starter;   /* its path, see team_starter() */
	uintptr_t stack_addr;
	uintptr_t caller_addr;
	const void *body;
	void *data;	/* libomp: an array of pointers, of one of the lengths below */
	int32_t nr;	/* of them */
	bool is_waited; /* the caller waits: for its team to begin, or for the others to end */
	struct wait wait;
};

static bool is_caller(const struct region *region)
{
	return region->thread == __builtin_thread_pointer();
}

static void begin_wait(struct region *region, struct wait_function *known)
{
	if (!waits_on())
		return;
	wait_begin(&region->wait, known, WAIT_FOR_LOCK(NULL, 0), region->stack_addr, region->caller_addr);
	region->is_waited = true;
}

static void end_wait(struct region *region)
{
	if (region->is_waited)
		wait_end(&region->wait, 0);
	region->is_waited = false;
}

/* The runtime makes the team, or waits until the threads of the last one are ready for another. */
static void await_start(struct region *region)
{
	static struct wait_function known = { "omp start", LOG_WAIT_BARRIER, 0 };

	begin_wait(region, &known);
}

/* A team of one waits for nobody. */
static void await_team(struct region *region)
{
	static struct wait_function known = { "omp parallel", LOG_WAIT_BARRIER, 0 };

	if (is_caller(region) && real_find(omp_get_num_threads) && real.omp_get_num_threads() > 1)
		begin_wait(region, &known);
}

static void run(void *place)
{
	struct region *region = place;
	struct team_call part, body;

	if (is_caller(region))
		end_wait(region);
	team_enter(&part, is_caller(region) ? 0 : region->starter, STACK_ADDR);
	team_enter_body(&body, region->starter ? (uintptr_t)region->body : 0, region->caller_addr,
			STACK_ADDR);
	((void (*)(void *))region->body)(region->data);
	team_leave(&body);
	team_leave(&part);
	await_team(region);
}

#define PARALLEL_WRAPPER(type, function, parameters, arguments)                                              \
	EXPORT type function parameters;                                                                     \
	EXPORT type function parameters                                                                      \
	{                                                                                                    \
		struct region region = { .thread = __builtin_thread_pointer(),                               \
					 .starter = team_starter(),                                          \
					 .stack_addr = STACK_ADDR,                                           \
					 .caller_addr = CALLER,                                              \
					 .body = (const void *)body,                                         \
					 .data = data };                                                     \
		struct region *place = &region;                                                              \
                                                                                                             \
		if (unlikely(!real_find(function)))                                                          \
			return;                                                                              \
		await_start(&region);                                                                        \
		real.function arguments;                                                                     \
		end_wait(&region);                                                                           \
	}
PARALLEL_FUNCTIONS(PARALLEL_WRAPPER)

/*
 * libomp passes on as many pointers as the body takes. A function may be called with more arguments than it
 * has, so a few lengths do for all. No body has more than the longest.
 */
#define P8 void *, void *, void *, void *, void *, void *, void *, void *
#define P64 P8, P8, P8, P8, P8, P8, P8, P8
#define P512 P64, P64, P64, P64, P64, P64, P64, P64
#define A8(a) (a)[0], (a)[1], (a)[2], (a)[3], (a)[4], (a)[5], (a)[6], (a)[7]
#define A64(a) \
	A8(a), A8((a) + 8), A8((a) + 16), A8((a) + 24), A8((a) + 32), A8((a) + 40), A8((a) + 48), A8((a) + 56)
#define A512(a)                                                                                            \
	A64(a), A64((a) + 64), A64((a) + 128), A64((a) + 192), A64((a) + 256), A64((a) + 320),             \
		A64((a) + 384), A64((a) + 448)

static int32_t length_for(int32_t nr)
{
	return nr <= 8 ? 8 : nr <= 64 ? 64 : 512;
}

static void run_with_pointers(int32_t *thread, int32_t *bound, struct region *region)
{
	void **pointers = region->data;
	const void *body = region->body;
	struct team_call part;

	if (is_caller(region))
		end_wait(region);
	team_enter(&part, is_caller(region) ? 0 : region->starter, STACK_ADDR);
	if (region->nr == 8)
		((void (*)(int32_t *, int32_t *, P8))body)(thread, bound, A8(pointers));
	else if (region->nr == 64)
		((void (*)(int32_t *, int32_t *, P64))body)(thread, bound, A64(pointers));
	else
		((void (*)(int32_t *, int32_t *, P512))body)(thread, bound, A512(pointers));
	team_leave(&part);
	await_team(region);
}

EXPORT void __kmpc_fork_call(void *place, int32_t nr, void *body, ...);
EXPORT void __kmpc_fork_call(void *place, int32_t nr, void *body, ...)
{
	const int32_t room = length_for(nr);
	void **pointers = __builtin_alloca((size_t)room * sizeof(*pointers));
	struct region region = { .thread = __builtin_thread_pointer(),
				 .starter = team_starter(),
				 .stack_addr = STACK_ADDR,
				 .caller_addr = CALLER,
				 .body = body,
				 .data = pointers,
				 .nr = room };
	va_list list;

	va_start(list, body);
	for (int32_t i = 0; i < room; i++)
		pointers[i] = i < nr ? va_arg(list, void *) : NULL;
	va_end(list);
	if (unlikely(!real_find(__kmpc_fork_call)))
		return;
	await_start(&region);
	real.__kmpc_fork_call(place, 1, (void *)run_with_pointers, &region);
	end_wait(&region);
}
