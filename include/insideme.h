/* SPDX-License-Identifier: MIT */
/*
 * InsideMe's interface for C and C++: regions that are measured as functions are; timers, marks, counters, failures; blocks of
 * a program's own allocators; what is recorded now, and what is known by now.
 *
 * Include this file and nothing else: there is nothing to link with (before glibc 2.34: -ldl), and a program that uses it
 * runs everywhere. The recorder is looked for once, when the program starts; where it is not loaded
 * (LD_PRELOAD=libinsideme.so, insideme-run) each call is a test of a pointer. Programs need not be compiled with
 * -finstrument-functions.
 *
 *     #include <insideme.h>
 *
 *     void step(void)
 *     {
 *             INSIDEME_REGION("step");           to the end of the scope
 *             ...
 *             insideme_begin("exchange");
 *             ...
 *             insideme_end("exchange");
 *     }
 *
 * Names are any text without a 0 byte; they are copied, and cut after INSIDEME_NAME_MAX bytes. A program can have some 60,000.
 *
 * Unless said otherwise everything may be called from any thread and from a signal handler: it takes no lock, allocates
 * nothing and keeps errno. Errors are -errno; nothing ever ends the program. -ENODATA: no recorder is loaded.
 */
#ifndef INSIDEME_H
#define INSIDEME_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#define INSIDEME_NAME_MAX 255

/**
 * struct insideme_timer - what is timed from a start to a stop, which may lie in different functions and threads
 * @name: of the timer; all of a name are added up. Must live until the stop
 *
 * Begins as INSIDEME_TIMER("name"). Of several threads that use one timer at once one gets the error.
 */
struct insideme_timer {
	const char *name;
	uint64_t state;			/* this and what follows is the recorder's */
	uint64_t start_ticks;
	uint64_t pause_ticks;
	uint64_t paused_ticks;
};
#define INSIDEME_TIMER(name) { name, 0, 0, 0, 0 }

/**
 * struct insideme_sum - what is known of a timer, a region, or both of one name, in this process so far
 * @name: of it; lives as long as the process
 * @calls: that have ended: times from start to stop, from begin to end
 * @total_ns: that they took, without pauses; of a region within itself the outer one's
 * @paused_ns: of timers, in pauses
 * @min_ns, @max_ns: of one call; 0 before the first, and of regions that are not timed (INSIDEME_TIMING)
 *
 * calls and total_ns are since insideme_reset(), the others since the process began.
 */
struct insideme_sum {
	const char *name;
	uint64_t calls;
	uint64_t total_ns;
	uint64_t paused_ns;
	uint64_t min_ns;
	uint64_t max_ns;
};

enum { INSIDEME_TOTAL = 0, INSIDEME_MEAN = 1, INSIDEME_RESET = 2 };	/* of insideme_timing() */
enum { INSIDEME_MEMORY_RSS, INSIDEME_MEMORY_PEAK };			/* the recorder's */

/* The recorder's side. What changes the meaning of a member gets a new version; new members come at the end. */
#define INSIDEME_VERSION_OF_TABLE 1
struct insideme_recorder {
	uint32_t version;
	uint32_t bytes;
	void (*enter)(void *function, void *call_site);
	void (*exit)(void *function, void *call_site);
	void *(*region)(const char *name);	/* what stands for its function, NULL: for none */
	int (*mark)(const char *name);
	int (*fail)(const char *type, const char *message);
	int (*counter)(const char *name, uint64_t value);	/* the bits of a double */
	int (*start)(struct insideme_timer *timer);
	int (*pause)(struct insideme_timer *timer);
	int (*resume)(struct insideme_timer *timer);
	int (*stop)(struct insideme_timer *timer);
	int (*begin_within)(const char *name);	/* insideme_begin() from a function of its own, as Fortran's module has it */
	int (*enable)(void);
	int (*disable)(void);
	int (*field)(const char *name);
	int (*sum)(const char *name, struct insideme_sum *sum);
	int (*sum_after)(const char *name, struct insideme_sum *sum);
	int (*reset)(const char *name);
	int (*snapshot)(const char *name);
	uint64_t (*memory)(int which);
	int (*rank)(int *nr_ranks);
	int (*pool_alloc)(const void *block, size_t bytes);
	int (*pool_free)(const void *block);
	int (*pool_begin)(void);
	int (*pool_end)(void);
};

#ifndef INSIDEME_RECORDER

#include <dlfcn.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In place, also without optimisation: the recorder tells by the stack who is in which scope. */
#define INSIDEME_INLINE static __inline__ __attribute__((always_inline, unused, no_instrument_function))

/* Each object, the program or a library, has its own. */
struct insideme_link {
	const struct insideme_recorder *recorder;	/* NULL: none is loaded */
	int is_looked_up;
};
__attribute__((weak, visibility("hidden"))) struct insideme_link insideme_link;

/* Before main() and before the constructors of C++; a library's when it is loaded. */
__attribute__((weak, visibility("hidden"), constructor(101), no_instrument_function)) void insideme_look_up(void);
void insideme_look_up(void)
{
	const struct insideme_recorder *recorder;

	if (insideme_link.is_looked_up)
		return;
	insideme_link.is_looked_up = 1;
	/* NULL is RTLD_DEFAULT, which not everybody declares. */
	recorder = (const struct insideme_recorder *)dlsym(NULL, "insideme_recorder");
	if (!recorder)
		dlerror();	/* is the program's again */
	else if (recorder->version == INSIDEME_VERSION_OF_TABLE && recorder->bytes >= sizeof(*recorder))
		insideme_link.recorder = recorder;
}

/**
 * insideme_begin() - begin a region: a call of its own in the call tree, below the function or region that is open
 * @name: of the region
 *
 * Ends by insideme_end() of the same name in the same function. Regions nest, in themselves too. But where one line of a loop
 * begins the region that it began before, and that has not ended, it ends then: a jump has left it.
 *
 * Return: 0, -EINVAL if @name is NULL, -ENOBUFS if there is no room for one more name, -ENODATA
 */
INSIDEME_INLINE int insideme_begin(const char *name)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;
	void *region;

	if (!recorder)
		return -ENODATA;
	region = recorder->region(name);
	if (!region)
		return name ? -ENOBUFS : -EINVAL;
	recorder->enter(region, NULL);
	return 0;
}

/**
 * insideme_end() - end the innermost open region of that name
 * @name: as it was begun
 *
 * What was begun in it and has not ended, ends too, and counts as broken. Where no such region is open nothing happens
 * but that it is counted in the log.
 *
 * Return: as insideme_begin()
 */
INSIDEME_INLINE int insideme_end(const char *name)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;
	void *region;

	if (!recorder)
		return -ENODATA;
	region = recorder->region(name);
	if (!region)
		return name ? -ENOBUFS : -EINVAL;
	recorder->exit(region, NULL);
	return 0;
}

/**
 * insideme_mark() - put a named instant on the calling thread's timeline
 * @name: label to show
 *
 * Return: 0, -EINVAL if @name is NULL, -ENOBUFS if the log has no room (counted there), -ENODATA
 */
INSIDEME_INLINE int insideme_mark(const char *name)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;

	return recorder ? recorder->mark(name) : -ENODATA;
}

/**
 * insideme_counter() - tell the value that something has now
 * @name: of what: "residual", "queue_length"
 * @value: in any unit; finite
 *
 * Reports draw it over time. Of values that come closer after each other than 1/1024 of the run until then the last stays.
 *
 * Return: 0, -EINVAL if @name is NULL or @value is not finite, -ENOBUFS if the log has no room (counted there), -ENODATA
 */
INSIDEME_INLINE int insideme_counter(const char *name, double value)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;
	uint64_t bits;

	if (!recorder)
		return -ENODATA;
	__builtin_memcpy(&bits, &value, sizeof(bits));
	return recorder->counter(name, bits);
}

/**
 * insideme_fail() - say that the function or region that is open has failed
 * @type: what kind of failure, as reports group them: "timeout"
 * @message: more about it, NULL: nothing; cut after 1023 bytes
 *
 * Changes nothing in how the call goes on.
 *
 * Return: 0, -EINVAL if @type is NULL, -ENOBUFS if the log has no room (counted there), -ENODATA
 */
INSIDEME_INLINE int insideme_fail(const char *type, const char *message)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;

	return recorder ? recorder->fail(type, message) : -ENODATA;
}

/**
 * insideme_start(), insideme_pause(), insideme_resume(), insideme_stop() - time something
 * @timer: made by INSIDEME_TIMER()
 *
 * What lies between pause and resume is no part of the time, and is told beside it. A pause in a pause does nothing, nor does
 * a resume without one; a stop resumes first. After a stop it may be started again.
 *
 * Return: 0, -EINVAL if @timer or its name is NULL or it is none, -EALREADY if it was started already, -ESRCH if it was not,
 * -ENOBUFS if the log has no room (counted there), -ENODATA
 */
INSIDEME_INLINE int insideme_start(struct insideme_timer *timer)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;

	return recorder ? recorder->start(timer) : -ENODATA;
}

INSIDEME_INLINE int insideme_pause(struct insideme_timer *timer)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;

	return recorder ? recorder->pause(timer) : -ENODATA;
}

INSIDEME_INLINE int insideme_resume(struct insideme_timer *timer)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;

	return recorder ? recorder->resume(timer) : -ENODATA;
}

INSIDEME_INLINE int insideme_stop(struct insideme_timer *timer)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;

	return recorder ? recorder->stop(timer) : -ENODATA;
}

/**
 * insideme_disable(), insideme_enable() - switch the recording of calls off, and on again
 *
 * Both are of the process, all its threads, and are counted: pairs of the two nest, in either order. With INSIDEME_START=off it
 * is off at first, so that one insideme_enable() switches it on. The signal of INSIDEME_SIGNAL switches it, too, as if the
 * program had done so as often as it takes. A forked child begins as its parent was.
 *
 * While it is off functions and regions cost some 5 ns and none is recorded; memory, resources, marks, counters and timers
 * are as ever. What is open goes on and ends as it does. What begins meanwhile is summed up as the call "(not recorded)" of who
 * made it, which is in nobody's self time; what a function does itself is its own.
 *
 * Return: 1 if calls are recorded now, 0 if not; -ENODATA
 */
INSIDEME_INLINE int insideme_disable(void)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;

	return recorder ? recorder->disable() : -ENODATA;
}

INSIDEME_INLINE int insideme_enable(void)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;

	return recorder ? recorder->enable() : -ENODATA;
}

/**
 * insideme_alloc() - say that an allocator of the program's own gave a block to its user
 * @block: the block; its address a multiple of 8
 * @bytes: as asked for
 *
 * Reports then know the block as they know malloc's: who allocated it, whether it lived at the peak, whether it was freed. It
 * belongs to the function that is open, with its callers. A block that grows or shrinks is freed, and allocated again.
 *
 * An arena that itself comes from malloc would count twice: see insideme_pool_begin(). One from mmap() needs nothing.
 *
 * Return: 0, -EINVAL if @block is NULL or no multiple of 8, -ENODATA also where live blocks are not recorded (INSIDEME_HEAP)
 */
INSIDEME_INLINE int insideme_alloc(const void *block, size_t bytes)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;

	return recorder ? recorder->pool_alloc(block, bytes) : -ENODATA;
}

/**
 * insideme_free() - say that a block of insideme_alloc() comes back to its allocator
 * @block: as it was told there; call this before anybody else may get it
 *
 * Return: as insideme_alloc(), -ESRCH if it is not known
 */
INSIDEME_INLINE int insideme_free(const void *block)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;

	return recorder ? recorder->pool_free(block) : -ENODATA;
}

/**
 * insideme_pool_begin(), insideme_pool_end() - what the thread does with malloc in between is for an allocator's own use
 *
 * Memory that blocks of insideme_alloc() are cut from would count twice: so it is not counted at all. Put them around its
 * malloc() and its free(), and little else; the one follows the other in any case, also where malloc() fails. Pairs nest.
 *
 * Return: 0, -ENODATA also where the heap is not recorded, or nothing was begun
 */
INSIDEME_INLINE int insideme_pool_begin(void)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;

	return recorder ? recorder->pool_begin() : -ENODATA;
}

INSIDEME_INLINE int insideme_pool_end(void)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;

	return recorder ? recorder->pool_end() : -ENODATA;
}

/**
 * insideme_field() - say what the function or region that is open is for, as "I/O"
 * @name: of the field, for the report's view fields
 *
 * Of a region where one is open in the function, else of the function; for all its calls, once is enough: INSIDEME_FIELD().
 *
 * Return: 0, -EINVAL if @name is NULL, -ESRCH if nothing is open that is recorded, -ENOBUFS if the log has no room (counted
 * there), -ENODATA
 */
INSIDEME_INLINE int insideme_field(const char *name)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;

	return recorder ? recorder->field(name) : -ENODATA;
}

INSIDEME_INLINE void insideme_field_once(int *is_done, const char *name)
{
	if (!__atomic_load_n(is_done, __ATOMIC_RELAXED) && insideme_field(name) == 0)
		__atomic_store_n(is_done, 1, __ATOMIC_RELAXED);
}

/* ---- what the program may ask: of this process, and a forked child begins anew ---- */

/**
 * insideme_sum_of() - what a timer or region of that name took so far
 * @name: of it
 * @sum: filled when the result is 0
 *
 * Looks at all call paths of the process: some 10 ns for each. Calls that are open are not in it.
 *
 * Return: 0, -EINVAL if @name or @sum is NULL, -ENOENT if there is none of that name yet, -ENODATA
 */
INSIDEME_INLINE int insideme_sum_of(const char *name, struct insideme_sum *sum)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;

	return recorder ? recorder->sum(name, sum) : -ENODATA;
}

/**
 * insideme_sum_after() - go through all timers and regions, in the order of their names' bytes
 * @name: the one before, NULL: begin
 * @sum: filled when the result is 0
 *
 *     for (int end = insideme_sum_after(NULL, &sum); !end; end = insideme_sum_after(sum.name, &sum))
 *
 * Return: 0, -EINVAL if @sum is NULL, -ENOENT behind the last one, -ENODATA
 */
INSIDEME_INLINE int insideme_sum_after(const char *name, struct insideme_sum *sum)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;

	return recorder ? recorder->sum_after(name, sum) : -ENODATA;
}

/**
 * insideme_reset() - let the sums of a timer or region begin at 0
 * @name: of it, NULL: of all
 *
 * The report keeps all of them.
 *
 * Return: 0, -ENOENT if there is none of that name yet, -ENODATA
 */
INSIDEME_INLINE int insideme_reset(const char *name)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;

	return recorder ? recorder->reset(name) : -ENODATA;
}

/**
 * insideme_timing() - seconds that a timer or region took, see insideme_sum_of()
 * @name: of it
 * @what: INSIDEME_TOTAL, or INSIDEME_MEAN of one call; | INSIDEME_RESET: which begins at 0 then
 *
 * Return: seconds; 0 where there is none of that name, no call has ended, or no recorder is loaded
 */
INSIDEME_INLINE double insideme_timing(const char *name, int what)
{
	struct insideme_sum sum;

	if (!insideme_link.recorder || insideme_sum_of(name, &sum) < 0)
		return 0;
	if (what & INSIDEME_RESET)
		insideme_reset(name);
	return sum.calls && what & INSIDEME_MEAN ? (double)sum.total_ns / 1e9 / (double)sum.calls : (double)sum.total_ns / 1e9;
}

/**
 * insideme_summary() - print all timers and regions as a table: name, seconds in all, calls, seconds of one
 * @file: where to
 *
 * Not from a signal handler: it prints by stdio.
 *
 * Return: how many lines, 0 where there is nothing yet; -EINVAL if @file is NULL, -EIO if it could not be written, -ENODATA
 */
__attribute__((unused, no_instrument_function)) static int insideme_summary(FILE *file)
{
	struct insideme_sum sum;
	int width = 5, lines = 0, end;

	if (!file || !insideme_link.recorder)
		return file ? -ENODATA : -EINVAL;
	for (end = insideme_sum_after(NULL, &sum); !end; end = insideme_sum_after(sum.name, &sum)) {
		int length = (int)__builtin_strlen(sum.name);

		width = sum.calls && length > width ? length : width;
	}
	for (end = insideme_sum_after(NULL, &sum); !end; end = insideme_sum_after(sum.name, &sum)) {
		double total = (double)sum.total_ns / 1e9;

		if (!sum.calls)
			continue;
		if (!lines && fprintf(file, "%*s | %12s | %10s | %12s\n", width, "Timer", "Total time", "Calls", "Average time") < 0)
			return -EIO;
		if (fprintf(file, "%*s | %12g | %10llu | %12g\n", width, sum.name, total, (unsigned long long)sum.calls,
			    total / (double)sum.calls) < 0)
			return -EIO;
		lines++;
	}
	return lines;
}

/**
 * insideme_rss(), insideme_peak() - memory of the process now, and the most that it had
 *
 * As the kernel counts it: the recorder's is in it, and in the peak that of earlier images of the process. A system call or three.
 *
 * Return: bytes; 0 where it cannot be read (a seccomp filter), or no recorder is loaded
 */
INSIDEME_INLINE uint64_t insideme_rss(void)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;

	return recorder ? recorder->memory(INSIDEME_MEMORY_RSS) : 0;
}

INSIDEME_INLINE uint64_t insideme_peak(void)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;

	return recorder ? recorder->memory(INSIDEME_MEMORY_PEAK) : 0;
}

/**
 * insideme_snapshot() - put an instant on the calling thread's timeline with what memory is used: RSS and live heap, in bytes
 * @name: label to show
 *
 * Return: as insideme_mark()
 */
INSIDEME_INLINE int insideme_snapshot(const char *name)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;

	return recorder ? recorder->snapshot(name) : -ENODATA;
}

/**
 * insideme_rank(), insideme_size() - which rank of a parallel launch this is, from 0, and of how many
 *
 * As the launcher tells in the environment, so before MPI_Init() too. A process that a rank started has the rank's.
 *
 * Return: 0 and 1 where there is no launch, its size is not told, or no recorder is loaded
 */
INSIDEME_INLINE int insideme_rank(void)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;
	int nr_ranks;

	return recorder ? recorder->rank(&nr_ranks) : 0;
}

INSIDEME_INLINE int insideme_size(void)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;
	int nr_ranks = 1;

	if (recorder)
		recorder->rank(&nr_ranks);
	return nr_ranks;
}

#ifdef CLOCK_MONOTONIC	/* <time.h> has none with -std=c11 and nothing else */
/**
 * insideme_wtime() - seconds since some time in the past, of a clock that is never set; with and without a recorder
 */
INSIDEME_INLINE double insideme_wtime(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
#endif

/* One place in the source that begins a region: its name is looked up once. */
INSIDEME_INLINE void *insideme_scope_begin(void **place, const char *name)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;
	void *region;

	if (!recorder)
		return NULL;
	region = __atomic_load_n(place, __ATOMIC_RELAXED);
	if (__builtin_expect(!region, 0)) {
		region = recorder->region(name);
		__atomic_store_n(place, region, __ATOMIC_RELAXED);
	}
	if (region)
		recorder->enter(region, NULL);
	return region;
}

INSIDEME_INLINE void insideme_scope_end(void **region)
{
	if (*region)
		insideme_link.recorder->exit(*region, NULL);
}

#ifdef __cplusplus
}
#endif

#define INSIDEME_JOIN_AGAIN(a, b) a##b
#define INSIDEME_JOIN(a, b) INSIDEME_JOIN_AGAIN(a, b)

/**
 * INSIDEME_REGION() - a region from here to the end of the scope, however that is left
 * @name: of the region; must be the same each time that this place is come by
 *
 * A statement, or a declaration as it were: not the only statement of an if. Left by return, break, goto, a C++
 * exception or pthread_exit() the region ends there; by longjmp() to another function it ends as broken. By longjmp() within its
 * function it is not seen to end: it does where it begins anew, or with the function.
 */
#define INSIDEME_REGION(name) INSIDEME_REGION_OF(name, INSIDEME_JOIN(insideme_place_, __LINE__), \
						 INSIDEME_JOIN(insideme_region_, __LINE__))

/* The same, by the name of the function: where that is compiled without hooks. */
#define INSIDEME_FUNCTION() INSIDEME_REGION(__func__)

/**
 * INSIDEME_FIELD() - what the function or region is for in which this stands, see insideme_field()
 * @name: of the field; must be the same each time that this place is come by
 *
 * A statement. Costs a test when it has been said.
 */
#define INSIDEME_FIELD(name) \
	__extension__({ \
		static int insideme_is_said; \
		insideme_field_once(&insideme_is_said, name); \
	})

#ifdef __cplusplus

#define INSIDEME_REGION_OF(name, place, region) \
	static void *place; \
	const struct insideme_scope region(&place, name)

struct insideme_scope {
	void *region;

	__attribute__((always_inline, no_instrument_function)) insideme_scope(void **place, const char *name)
		: region(insideme_scope_begin(place, name))
	{
	}
	__attribute__((always_inline, no_instrument_function)) ~insideme_scope()
	{
		insideme_scope_end(&region);
	}
};

#else

#define INSIDEME_REGION_OF(name, place, region) \
	static void *place; \
	void *region __attribute__((cleanup(insideme_scope_end), unused)) = insideme_scope_begin(&place, name)

#endif
#endif
#endif
