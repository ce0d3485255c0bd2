/* SPDX-License-Identifier: MIT */
/*
 * InsideMe's interface for C and C++. It has regions, which are measured like functions; timers,
 * marks, counters and failures; blocks of a program's own allocators; switches for what is
 * recorded, and queries for what is known so far.
 *
 * Include this file and nothing else. There is nothing to link with (before glibc 2.34: -ldl),
 * and a program that uses it runs everywhere. The recorder is looked up once, when the program
 * starts. If it is not loaded (LD_PRELOAD=libinsideme.so, insideme-run), each call is a test of a
 * pointer. Programs need not be compiled with -finstrument-functions.
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
 * Names are any text without a 0 byte. They are copied, and cut after INSIDEME_NAME_MAX bytes. A
 * program can have some 60,000 names.
 *
 * Unless stated otherwise, everything may be called from any thread and from a signal handler: it
 * takes no lock, allocates nothing and keeps errno. Errors are returned as -errno; nothing ever
 * ends the program. -ENODATA means that no recorder is loaded.
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
 * struct insideme_timer - measures the time from a start to a stop, which may be in different
 * functions and threads
 * @name: of the timer; times of the same name are added up. It must live until the stop
 *
 * Initialize it with INSIDEME_TIMER("name"). If several threads use one timer at the same time, one
 * of them gets the error.
 */
struct insideme_timer {
	const char *name;
	uint64_t state;			/* this and the following are the recorder's */
	uint64_t start_ticks;
	uint64_t pause_ticks;
	uint64_t paused_ticks;
};
#define INSIDEME_TIMER(name) { name, 0, 0, 0, 0 }

/**
 * struct insideme_sum - what is known so far, in this process, of a timer, a region, or both of one
 * name
 * @name: the name; it lives as long as the process
 * @calls: number of ended calls: from start to stop, or from begin to end
 * @total_ns: their time, without pauses; of a region within itself only the outer one counts
 * @paused_ns: time of timers in pauses
 * @min_ns, @max_ns: of one call; 0 before the first one, and for regions that are not timed
 *   (INSIDEME_TIMING)
 *
 * calls and total_ns count from insideme_reset() on, the others from the start of the process.
 */
struct insideme_sum {
	const char *name;
	uint64_t calls;
	uint64_t total_ns;
	uint64_t paused_ns;
	uint64_t min_ns;
	uint64_t max_ns;
};

enum { INSIDEME_TOTAL = 0, INSIDEME_MEAN = 1, INSIDEME_RESET = 2 };	/* for insideme_timing() */
enum { INSIDEME_MEMORY_RSS, INSIDEME_MEMORY_PEAK };			/* used by the recorder */

/* Code whose lines are reported to @line. bytes 0: none. */
struct insideme_line_events {
	uintptr_t begin, bytes;
	void (*line)(uintptr_t code, uintptr_t stack);
};

/*
 * The recorder's side. A change of a member's meaning needs a new version. New members are added at
 * the end.
 */
#define INSIDEME_VERSION_OF_TABLE 1
struct insideme_recorder {
	uint32_t version;
	uint32_t bytes;
	void (*enter)(void *function, void *call_site);
	void (*exit)(void *function, void *call_site);
	/* An address that stands for the region's function; NULL: none */
	void *(*region)(const char *name);
	int (*mark)(const char *name);
	int (*fail)(const char *type, const char *message);
	int (*counter)(const char *name, uint64_t value);	/* the bits of a double */
	int (*start)(struct insideme_timer *timer);
	int (*pause)(struct insideme_timer *timer);
	int (*resume)(struct insideme_timer *timer);
	int (*stop)(struct insideme_timer *timer);
	/* insideme_begin() for callers with a function of their own in between, as Fortran's module */
	int (*begin_within)(const char *name);
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
	int64_t (*elapsed)(const struct insideme_timer *timer);		/* ns, or -errno */
	int (*add)(const char *name, uint64_t ns);
	int (*moved)(uint64_t bytes);
	int (*on_call)(void (*callback)(const char *name, uint64_t ns, int broken), uint64_t least_ns);
	/*
	 * insideme-cc --lines: coverage counters of a source file, as gcc describes them: from now on, no
	 * longer
	 */
	void (*lines_begin)(const void *unit);
	void (*lines_end)(const void *unit);
	void (*lines_copy)(void);	/* the process may be about to exec */
	uint64_t (*mean_ns)(const char *name);
	int (*focus)(const char *list);
	/* insideme-cc --line-events: fill this for the code of an object */
	void (*line_events)(struct insideme_line_events *events, const void *begin, const void *end);
	int (*name_lock)(const void *lock, const char *name);
};

#ifndef INSIDEME_RECORDER

#include <dlfcn.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Always inlined, even without optimisation: the recorder finds the scope of a region by its stack
 * address.
 */
#define INSIDEME_INLINE static __inline__ __attribute__((always_inline, unused, no_instrument_function))

/* Each object, the program or a library, has its own. */
struct insideme_link {
	const struct insideme_recorder *recorder;	/* NULL: no recorder is loaded */
	int is_looked_up;
};
__attribute__((weak, visibility("hidden"))) struct insideme_link insideme_link;

/* Runs before main() and before the constructors of C++; in a library, when that is loaded. */
__attribute__((weak, visibility("hidden"), constructor(101), no_instrument_function)) void
insideme_look_up(void);
void insideme_look_up(void)
{
	const struct insideme_recorder *recorder;

	if (insideme_link.is_looked_up)
		return;
	insideme_link.is_looked_up = 1;
	/* NULL is RTLD_DEFAULT, which not all headers declare. */
	recorder = (const struct insideme_recorder *)dlsym(NULL, "insideme_recorder");
	if (!recorder)
		dlerror();	/* clear the error, which would be the program's otherwise */
	else if (recorder->version == INSIDEME_VERSION_OF_TABLE && recorder->bytes >= sizeof(*recorder))
		insideme_link.recorder = recorder;
}

/**
 * insideme_begin() - begin a region: a call of its own in the call tree, below the open function or
 * region
 * @name: of the region
 *
 * insideme_end() of the same name ends it, in the same function. Regions may be nested, even within
 * themselves. But if the same line of a loop begins its region again before the region has ended,
 * the earlier one ends: a jump has left it.
 *
 * Return: 0, -EINVAL if @name is NULL, -ENOBUFS if there is no room for another name, -ENODATA
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
 * insideme_end() - end the innermost open region of a name
 * @name: as in insideme_begin()
 *
 * Regions that were begun inside and have not ended end too, and count as broken. If no region of
 * the name is open, nothing happens, but it is counted in the log.
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

/* "stage NAME", cut as all names are. */
INSIDEME_INLINE const char *insideme_stage_name(char *text, const char *name)
{
	__builtin_memcpy(text, "stage ", 6);
	text[6] = text[INSIDEME_NAME_MAX] = 0;
	if (name)
		__builtin_strncpy(text + 6, name, INSIDEME_NAME_MAX - 6);
	return name ? text : NULL;
}

/**
 * insideme_stage_begin(), insideme_stage_end() - a stage of the work, as insideme_begin() and insideme_end()
 * @name: of the stage; see INSIDEME_STAGE()
 */
INSIDEME_INLINE int insideme_stage_begin(const char *name)
{
	char text[INSIDEME_NAME_MAX + 1];

	return insideme_begin(insideme_stage_name(text, name));
}

INSIDEME_INLINE int insideme_stage_end(const char *name)
{
	char text[INSIDEME_NAME_MAX + 1];

	return insideme_end(insideme_stage_name(text, name));
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
 * insideme_counter() - record a current value
 * @name: of the value: "residual", "queue_length"
 * @value: in any unit; finite
 *
 * Reports draw it over time. If values are closer together than 1/1024 of the run so far, the
 * last one is kept.
 *
 * Return: 0, -EINVAL if @name is NULL or @value is not finite, -ENOBUFS if the log has no room
 * (counted there), -ENODATA
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
 * insideme_fail() - record that the open function or region has failed
 * @type: kind of failure, by which reports group: "timeout"
 * @message: details; cut after 1023 bytes; NULL: none
 *
 * The call itself goes on unchanged.
 *
 * Return: 0, -EINVAL if @type is NULL, -ENOBUFS if the log has no room (counted there), -ENODATA
 */
INSIDEME_INLINE int insideme_fail(const char *type, const char *message)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;

	return recorder ? recorder->fail(type, message) : -ENODATA;
}

/**
 * insideme_start(), insideme_pause(), insideme_resume() - measure a time, until insideme_stop()
 * @timer: made by INSIDEME_TIMER()
 *
 * The time between pause and resume is not included, and is reported separately. A pause during a
 * pause does nothing, nor does a resume without a pause.
 *
 * Return: 0, -EINVAL if @timer or its name is NULL or @timer is no timer, -EALREADY if it was
 * already started, -ESRCH if it was not, -ENOBUFS if the log has no room (counted there), -ENODATA
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

/**
 * insideme_elapsed() - what a timer shows: seconds since its start, or after a stop from start to stop
 * @timer: made by INSIDEME_TIMER()
 *
 * Pauses are not included.
 *
 * Return: seconds; 0 if the timer was never started, is none, or no recorder is loaded
 */
INSIDEME_INLINE double insideme_elapsed(const struct insideme_timer *timer)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;
	int64_t ns = recorder ? recorder->elapsed(timer) : 0;

	return ns > 0 ? (double)ns / 1e9 : 0;
}

/**
 * insideme_stop() - end the time that insideme_start() began
 * @timer: made by INSIDEME_TIMER(). It may be started again
 *
 * A stop resumes first. If the log has no room, the time is missing there (and counted), but is returned.
 *
 * Return: seconds from start to stop, without pauses; 0 if no recorder is loaded, or it records nothing;
 * -EINVAL if @timer or its name is NULL or @timer is no timer, -ESRCH if it was not started
 */
INSIDEME_INLINE double insideme_stop(struct insideme_timer *timer)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;
	int status = recorder ? recorder->stop(timer) : 0;

	return status < 0 ? status : insideme_elapsed(timer);
}

/**
 * insideme_add() - add a time that was measured otherwise to the sums of a timer
 * @name: of the timer
 * @seconds: the time, at least 0 and less than 100 years; it counts as one call
 *
 * Return: 0, -EINVAL if @name is NULL or @seconds is out of range, -ENOBUFS if the log has no room
 * (counted there), -ENODATA
 */
INSIDEME_INLINE int insideme_add(const char *name, double seconds)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;

	if (!name || !(seconds >= 0 && seconds < 3e9))
		return -EINVAL;
	return recorder ? recorder->add(name, (uint64_t)(seconds * 1e9 + 0.5)) : -ENODATA;
}

/**
 * insideme_moved() - record that the open function or region has read, written or sent so many bytes
 * @bytes: more of them
 *
 * Regions around it have moved them too. The view timers shows the bytes of each region, and bytes
 * per second of its time.
 *
 * Return: 0, -ESRCH if no recorded call is open, -ENODATA
 */
INSIDEME_INLINE int insideme_moved(uint64_t bytes)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;

	return recorder ? recorder->moved(bytes) : -ENODATA;
}

/**
 * insideme_on_call() - have a function called for each finished timer and each long call
 * @callback: gets the name, the time in ns, and 1 if the call ended without an exit (an exception, a jump);
 *   the name lives as long as the process. NULL: none any more
 * @least_ns: the shortest duration to report; calls shorter than INSIDEME_THRESHOLD are never reported
 *
 * It runs in the thread that made the call, after the call, and must return. It may call anything that the
 * code around the call may; what it does counts for the caller. Calls within it are not reported.
 *
 * Return: 0, -ENODATA
 */
INSIDEME_INLINE int insideme_on_call(void (*callback)(const char *name, uint64_t ns, int broken),
				     uint64_t least_ns)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;

	return recorder ? recorder->on_call(callback, least_ns) : -ENODATA;
}

/**
 * insideme_disable(), insideme_enable() - switch the recording of calls off and on
 *
 * Both apply to all threads of the process, and are counted: pairs may be nested, in either order.
 * With INSIDEME_START=off recording starts off, and one insideme_enable() switches it on. The
 * signal of INSIDEME_SIGNAL switches too, as if the program had made as many calls as that takes. A
 * forked child begins with its parent's state.
 *
 * While recording is off, functions and regions cost some 5 ns and none is recorded; memory,
 * resources, marks, counters and timers are recorded as always. Open calls go on, and end normally.
 * New calls are summed up as one call "(not recorded)" of their caller, and count in nobody's self
 * time. The function's own code stays its own.
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
 * insideme_focus() - from now on record only these functions and regions, and what they call
 * @list: patterns as those of INSIDEME_FOCUS, which it replaces: "solve,Grid::*,io.c"; NULL or "": record
 *	all calls
 *
 * It holds for all threads, and for calls that begin from now on: open calls end normally, and what they
 * call is recorded if a function of the list is among them or their callers. Functions that timing auto
 * only counts by then (INSIDEME_TIMING) go on being counted everywhere, and are no focus. insideme-run
 * --pid=PID --focus=LIST does the same from outside.
 *
 * A new list takes some ms, in which the symbols of loaded objects are read; one that was in force before
 * takes 1 us. If a name of a new list is unknown, a line on stderr says so. Not for signal handlers.
 *
 * Return: 0, -EINVAL if @list has 1024 bytes or more, -ENOSPC after 64 different lists, -EPERM after a
 * seccomp filter was installed, -ENODATA
 */
INSIDEME_INLINE int insideme_focus(const char *list)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;

	return recorder ? recorder->focus(list) : -ENODATA;
}

/**
 * insideme_name_lock() - name a lock, semaphore, condition or barrier in reports of waits
 * @lock: its address: a pthread_mutex_t, a std::mutex, or whatever a call waits for
 * @name: of the lock; several locks may have one name, and reports then add up their waits
 *
 * Name it after it was initialised. The name holds for waits from now on, until it gets another one, or
 * until the lock is destroyed by its function (pthread_mutex_destroy(); there is none for std::mutex).
 *
 * Return: 0, -EINVAL if @lock or @name is NULL, -ENOBUFS if there is no room for another name, -ENODATA
 */
INSIDEME_INLINE int insideme_name_lock(const void *lock, const char *name)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;

	return recorder ? recorder->name_lock(lock, name) : -ENODATA;
}

/**
 * insideme_alloc() - record that an allocator of the program's own has handed out a block
 * @block: the block; its address must be a multiple of 8
 * @bytes: the size that was asked for
 *
 * Reports then know the block as they know malloc's blocks: its call path, whether it lived at the
 * peak, whether it was freed. It belongs to the open function and its callers. For a block that
 * grows or shrinks, record a free and a new allocation.
 *
 * An arena that itself comes from malloc would be counted twice: see insideme_pool_begin(). An
 * arena from mmap() needs nothing.
 *
 * Return: 0, -EINVAL if @block is NULL or no multiple of 8; -ENODATA also where live blocks are not
 * recorded (INSIDEME_HEAP)
 */
INSIDEME_INLINE int insideme_alloc(const void *block, size_t bytes)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;

	return recorder ? recorder->pool_alloc(block, bytes) : -ENODATA;
}

/**
 * insideme_free() - record that a block of insideme_alloc() is returned to its allocator
 * @block: as in insideme_alloc(). Call this before the block can be handed out again
 *
 * Return: as insideme_alloc(), and -ESRCH if the block is not known
 */
INSIDEME_INLINE int insideme_free(const void *block)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;

	return recorder ? recorder->pool_free(block) : -ENODATA;
}

/**
 * insideme_pool_begin(), insideme_pool_end() - malloc in between, by this thread, is for an
 * allocator's own use
 *
 * Memory from which blocks of insideme_alloc() are cut would be counted twice, so it is not counted
 * at all. Put the calls around the allocator's malloc() and free(), and around little else. Call
 * insideme_pool_end() in any case, also if malloc() fails. Pairs may be nested.
 *
 * Return: 0; -ENODATA also where the heap is not recorded, or nothing was begun
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
 * insideme_field() - record what the open function or region is for, for example "I/O"
 * @name: of the field, for the report's view fields
 *
 * It applies to the region, if one is open in the function, otherwise to the function. It applies
 * to all its calls, so once is enough: INSIDEME_FIELD().
 *
 * Return: 0, -EINVAL if @name is NULL, -ESRCH if no recorded call is open, -ENOBUFS if the log has
 * no room (counted there), -ENODATA
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

/* ---- queries about this process; a forked child begins anew ---- */

/**
 * insideme_sum_of() - what a timer or region has taken so far
 * @name: of the timer or region
 * @sum: filled when the result is 0
 *
 * Walks over all call paths of the process, at some 10 ns for each. Open calls are not included.
 *
 * Return: 0, -EINVAL if @name or @sum is NULL, -ENOENT if there is none of that name yet, -ENODATA
 */
INSIDEME_INLINE int insideme_sum_of(const char *name, struct insideme_sum *sum)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;

	return recorder ? recorder->sum(name, sum) : -ENODATA;
}

/**
 * insideme_sum_after() - walk over all timers and regions, in the order of their names' bytes
 * @name: the previous one; NULL: begin
 * @sum: filled when the result is 0
 *
 *     for (int end = insideme_sum_after(NULL, &sum); !end; end = insideme_sum_after(sum.name, &sum))
 *
 * Return: 0, -EINVAL if @sum is NULL, -ENOENT after the last one, -ENODATA
 */
INSIDEME_INLINE int insideme_sum_after(const char *name, struct insideme_sum *sum)
{
	const struct insideme_recorder *recorder = insideme_link.recorder;

	return recorder ? recorder->sum_after(name, sum) : -ENODATA;
}

/**
 * insideme_reset() - set the sums of a timer or region to 0
 * @name: of the timer or region; NULL: all
 *
 * The report keeps all sums.
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
 * @name: of the timer or region
 * @what: INSIDEME_TOTAL, or INSIDEME_MEAN of one call, also of those within another one; with
 *   | INSIDEME_RESET the sums are then set to 0
 *
 * Return: seconds; 0 if there is none of that name, no call has ended, or no recorder is loaded
 */
INSIDEME_INLINE double insideme_timing(const char *name, int what)
{
	struct insideme_sum sum;
	double ns;

	if (!insideme_link.recorder || insideme_sum_of(name, &sum) < 0)
		return 0;
	ns = (double)(what & INSIDEME_MEAN ? insideme_link.recorder->mean_ns(name) : sum.total_ns);
	if (what & INSIDEME_RESET)
		insideme_reset(name);
	return ns / 1e9;
}

/**
 * insideme_summary() - print all timers and regions as a table: name, total seconds, calls, seconds
 * per call
 * @file: where to print
 *
 * Not for signal handlers: it prints by stdio.
 *
 * Return: the number of lines, 0 if there are none yet; -EINVAL if @file is NULL, -EIO if it could
 * not be written, -ENODATA
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
		if (!lines && fprintf(file, "%*s | %12s | %10s | %12s\n", width, "Timer", "Total time",
				      "Calls", "Average time") < 0)
			return -EIO;
		if (fprintf(file, "%*s | %12g | %10llu | %12g\n", width, sum.name, total,
			    (unsigned long long)sum.calls, insideme_timing(sum.name, INSIDEME_MEAN)) < 0)
			return -EIO;
		lines++;
	}
	return lines;
}

/**
 * insideme_rss(), insideme_peak() - memory of the process now, and its peak
 *
 * As the kernel counts it, including the recorder's memory; the peak also includes earlier images
 * of the process. Takes up to three system calls.
 *
 * Return: bytes; 0 if it cannot be read (a seccomp filter), or no recorder is loaded
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
 * insideme_snapshot() - put an instant with the used memory on the calling thread's timeline: RSS
 * and live heap in bytes
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
 * insideme_rank(), insideme_size() - this process's rank in a parallel launch, from 0, and the
 * number of ranks
 *
 * Read from the launcher's environment, so also before MPI_Init(). A process that a rank started
 * has that rank.
 *
 * Return: 0 and 1 if there is no launch, its size is not known, or no recorder is loaded
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

#ifdef CLOCK_MONOTONIC	/* <time.h> has no clock_gettime() with -std=c11 alone */
/**
 * insideme_wtime() - seconds since some time in the past, by a clock that is never set; with and
 * without a recorder
 */
INSIDEME_INLINE double insideme_wtime(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
#endif

/* A place in the source that begins a region. Its name is looked up once. */
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
 * @name: of the region; must be the same each time this place is reached
 *
 * Use it as a statement or declaration, but not as the only statement of an if. The region ends
 * when the scope is left by return, break, goto, a C++ exception or pthread_exit(). A longjmp() to
 * another function ends it as broken. A longjmp() within its function is not noticed: the region
 * ends when it begins again, or with the function.
 */
#define INSIDEME_REGION(name) INSIDEME_REGION_OF(name, INSIDEME_JOIN(insideme_place_, __LINE__), \
						 INSIDEME_JOIN(insideme_region_, __LINE__))

/**
 * INSIDEME_STAGE() - a region that is a stage of the work, to the end of the scope
 * @name: a literal
 *
 * The view timers shows what regions took within each stage. insideme_stage_begin() and insideme_stage_end()
 * are the same for parts of a scope, and for names that are no literals.
 */
#define INSIDEME_STAGE(name) INSIDEME_REGION("stage " name)

/* The same, named after the function, for functions that are compiled without hooks. */
#define INSIDEME_FUNCTION() INSIDEME_REGION(__func__)

/**
 * INSIDEME_FIELD() - what the function or region around it is for, see insideme_field()
 * @name: of the field; must be the same each time this place is reached
 *
 * Use it as a statement. Once recorded, it costs a test.
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
