/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sampling task inside the program. A pthread would change the program: glibc's single-threaded fast
 * paths, and the end of a process whose main thread calls pthread_exit. So the task is a raw clone with its
 * own stack and its own zeroed TLS block. All its signals are blocked. After its first sleep it has its own,
 * empty descriptor table. It calls no libc function.
 */
#include "preload/state/sampler_task.h"

#include <link.h>
#include <linux/close_range.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "preload/common/base/clock.h"
#include "preload/common/base/directory.h"
#include "preload/common/base/syscalls.h"
#include "preload/common/base/text.h"
#include "preload/common/run/run.h"
#include "preload/common/sampler/sampler.h"
#include "preload/objects/fork_gate.h"
#include "preload/objects/loaded_objects.h"
#include "preload/state/process_entry.h"
#include "preload/state/live.h"

#define FIRST_SLEEP_NS	5000000		/* a short program pays only for the task's start */
#define RESUMED_SLEEP_NS 1000000 /* a program that forks often must not pay for opening files each time */
#define LATER_US	20000u		/* after a fork */
#define WATCH_US	100000u		/* insideme-run may have ended */
#define LAST_WAIT_NS	20000000	/* at most, for its last rows and its end */
#define PAUSE_WAIT_NS	1000000000	/* the same, before a call of the program that fails while the task
					 * exists */

#define START_WAIT_NS	100000		/* no wakeup comes */
#define MOMENT_NS	20000

#define STARTING	UINT32_MAX	/* in tid: a thread is about to start the task */

#define GUARD_BYTES	(64u << 10)	/* a page of any size */
#define STACK_BYTES	(64u << 10)
#define STACK_TOP_BYTES	1024u /* top part of the stack: on the page that a task touches that only sleeps */
#define TLS_BYTES	1024u		/* at least, from the thread pointer on */
#define TLS_UNIT	64u		/* the blocks' alignment */
#define TASK_PLACE_BYTES (200u << 10)	/* besides the state, if the program has little thread-local memory */

enum stop { GO_ON, STOP, PAUSE };
enum first { NOBODY, TASK, ENDING_THREAD };

/* It lies behind the stack and the TLS block. Its first fields share a page with them. */
struct sampler_task {
	/* set by the kernel, which clears and wakes it when the task has ended; or STARTING */
	uint32_t tid;
	uint32_t stop;		/* enum stop; woken */
	uint32_t pauses;	/* callers that want the process alone now */
	uint32_t has_ended;	/* for good */
	uint32_t first; /* enum first: which task takes the first sample; claimed atomically */
	struct sampler_config config;
	char path[RUN_PATH_BYTES];
	_Alignas(64) char sampler[SAMPLER_BYTES];
};

/* Memory for the task: guard, stack, TLS block and state behind each other. */
struct task_place {
	char *guard;
	char *stack_end;
	char *tls;		/* where the thread pointer points */
};

uint64_t sampler_task_due_ticks;
uint32_t sampler_task_is_watched;
static struct sampler_task *helper;	/* set by the constructor, and by a forked child */
static struct task_place place;		/* of the constructor's process */

/* ---- its memory ---- */

static size_t round_up(size_t bytes, size_t unit)
{
	return (bytes + unit - 1) / unit * unit;
}

/*
 * The TLS block holds the library's own variable, as far from the thread pointer as in all threads: below
 * it, or above it behind the program's variables.
 */
static size_t tls_below(void)
{
	const char *pointer = __builtin_thread_pointer(), *own = (const char *)&self;

	return round_up(own < pointer ? (size_t)(pointer - own) : 0, TLS_UNIT);
}

static size_t tls_above(void)
{
	const char *pointer = __builtin_thread_pointer(), *own_end = (const char *)(&self + 1);

	return round_up(own_end > pointer ? (size_t)(own_end - pointer) : 0, TLS_UNIT) + TLS_BYTES;
}

/*
 * Find room for a task with @state_bytes of state: in the @own_bytes at @own, or if these are too few, in a
 * mapping. Return: the state, or NULL. A task that only sleeps touches one page: the top of its stack, its
 * thread pointer and the first KiB of the state.
 */
static void *find_place(char *own, size_t own_bytes, size_t state_bytes)
{
	const size_t below = tls_below(), above = tls_above();
	const size_t bytes = GUARD_BYTES + STACK_BYTES + STACK_TOP_BYTES + below + above + state_bytes;
	long result = (long)round_up((size_t)own, GUARD_BYTES);

	if ((size_t)result + bytes > (size_t)own + own_bytes)
		result = sys_mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (sys_failed(result))
		return NULL;
	place.guard = (char *)result;
	place.stack_end = place.guard + GUARD_BYTES + STACK_BYTES + STACK_TOP_BYTES;
	place.tls = place.stack_end + below;
	return place.tls + above;
}

/*
 * Turn on the guard page: a stack overflow then faults instead of overwriting the next object. It costs a
 * short program more than its task does. The page stays readable, because leak checkers and garbage
 * collectors read all of our data.
 */
static void guard_place(void)
{
	raw_syscall(SYS_mprotect, (long)place.guard, GUARD_BYTES, PROT_READ, 0, 0, 0);
}

/* ---- its descriptors ---- */

/* Close the descriptors that /proc lists, because a table may be large and nearly empty. */
static bool close_listed(void)
{
	_Alignas(8) char buffer[DIRECTORY_BUFFER_BYTES];
	struct directory directory;
	const char *name;
	uint64_t fd;

	sys_close(0);		/* if the table is full, the listing takes its place */
	if (directory_open(&directory, "/proc/thread-self/fd", buffer, sizeof(buffer)) < 0)
		return false;
	while ((name = directory_next(&directory)))
		if (text_read_u64(&name, &fd) == 0 && fd != (uint64_t)directory.fd)
			sys_close((int)fd);
	directory_close(&directory);
	return true;
}

/*
 * Descriptors of its own: it neither keeps the program's pipes open nor is hurt by closefrom(). Kernels
 * before 5.9 and the filters of some containers have no close_range().
 */
static bool descriptors_leave(void)
{
	if (raw_syscall(SYS_close_range, 0, ~0u, CLOSE_RANGE_UNSHARE, 0, 0, 0) == 0)
		return true;
	return raw_syscall(SYS_unshare, CLONE_FILES, 0, 0, 0, 0, 0) == 0 && close_listed();
}

/* ---- its life ---- */

/* Wait until @word is not @value any more, or until @when of CLOCK_MONOTONIC. */
static void futex_wait_until(void *word, uint32_t value, int64_t when)
{
	struct timespec until = { .tv_sec = when / 1000000000, .tv_nsec = when % 1000000000 };

	raw_syscall(SYS_futex, (long)word, FUTEX_WAIT_BITSET, value, (long)&until, 0, FUTEX_BITSET_MATCH_ANY);
}

static void end_task(void)
{
	raw_syscall(SYS_exit, 0, 0, 0, 0, 0, 0);
}

static bool claim_first(struct sampler_task *task, enum first who)
{
	uint32_t nobody = NOBODY;

	return __atomic_compare_exchange_n(&task->first, &nobody, who, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_ACQUIRE);
}

static int open_log(const struct sampler_task *task)
{
	return (int)sys_open(task->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
}

/*
 * A task that does more than sleep needs a guard page, a name and its own descriptors; a short program ends
 * before that. While it sleeps it shares the program's descriptor table, so it keeps no descriptor open
 * that the program closes.
 */
static bool settle(void)
{
	guard_place();
	raw_syscall(SYS_prctl, PR_SET_NAME, (long)"insideme", 0, 0, 0, 0);
	return descriptors_leave();
}

/* Return: is there something to sample? */
static bool begin_sampling(struct sampler_task *task)
{
	struct sampler *sampler = (struct sampler *)task->sampler;
	bool goes_on = __atomic_load_n(&task->first, __ATOMIC_ACQUIRE) == TASK;

	sys_futex_wait(&task->stop, GO_ON, goes_on ? RESUMED_SLEEP_NS : FIRST_SLEEP_NS);
	if (__atomic_load_n(&task->stop, __ATOMIC_ACQUIRE) == PAUSE || !settle())
		return false;
	if (!__atomic_load_n(&task->config.log, __ATOMIC_ACQUIRE) && !live_open_child())
		return false;
	/* there are none after the program gave up rights: then rows use the room that exists */
	task->config.log_fd = open_log(task);
	if (goes_on)
		return sampler_resume(sampler, task->config.log_fd) == 0;
	if (!claim_first(task, TASK))
		return false;
	if (sampler_start(sampler, &task->config) == 0)
		return true;
	__atomic_store_n(&task->first, NOBODY, __ATOMIC_RELEASE);
	return false;
}

/*
 * A short program does not wait for the task to open its files and end: the thread that ends the program
 * takes the sample. The task may wake up meanwhile and write a descriptor of its own table to the
 * configuration, so a copy is used.
 */
static void take_only_sample(struct sampler_task *task)
{
	struct sampler_config config = task->config;
	uint64_t mask;

	sys_block_signals(&mask);
	moment_begin();
	config.log_fd = open_log(task);
	if (config.log_fd >= 0) {
		sampler_take_only((struct sampler *)task->sampler, &config);
		sys_close(config.log_fd);
	}
	moment_end();
	sys_restore_signals(&mask);
}

static void run_sampler(void *argument)
{
	struct sampler_task *task = argument;
	struct sampler *sampler = (struct sampler *)task->sampler;
	uint64_t nr_steps = 0;
	int64_t due_ns;

	if (!begin_sampling(task))
		end_task();
	while (__atomic_load_n(&task->stop, __ATOMIC_ACQUIRE) == GO_ON) {
		due_ns = sampler_step(sampler);
		if (due_ns < 0)
			break;
		/* each time after twice as many steps: a few, with whatever else runs */
		if (live.log == task->config.log && !(nr_steps & (nr_steps + 1)))
			live_measure_again(live.log);
		nr_steps++;
		futex_wait_until(&task->stop, GO_ON, due_ns);
	}
	if (__atomic_load_n(&task->stop, __ATOMIC_ACQUIRE) == PAUSE)
		sampler_pause(sampler);
	else
		sampler_stop(sampler);
	end_task();
}

/* Two tasks must never share the stack: the last one may be slow to end, or another thread may start one. */
static bool claim_task(struct sampler_task *task)
{
	uint32_t nobody = 0;

	if (!__atomic_compare_exchange_n(&task->tid, &nobody, STARTING, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED))
		return false;
	if (!task->pauses)
		return true;
	__atomic_store_n(&task->tid, 0, __ATOMIC_RELEASE);
	return false;
}

static void tell_task(const struct sampler_task *task, uint32_t tid)
{
	task->config.log->sampler_kind = tid != 0;
	task->config.log->sampler_tid = tid;
}

static void clone_task(struct sampler_task *task)
{
	/* Not CLONE_FS: the program's chroot and its mount namespace are its own. */
	const unsigned long flags = CLONE_VM | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
				    CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
	long result;

	RAW_CLONE_TLS(place.tls);
	__atomic_store_n(&task->stop, GO_ON, __ATOMIC_RELEASE);
	result = raw_clone(run_sampler, task, place.stack_end, flags, place.tls, &task->tid);
	if (result < 0)		/* for example a limit on tasks: nothing is sampled, and the report says so */
		__atomic_store_n(&task->tid, 0, __ATOMIC_RELEASE);
	if (task->config.log)
		tell_task(task, result > 0 ? (uint32_t)result : 0);
}

static void start_task(struct sampler_task *task)
{
	uint64_t mask;

	sys_block_signals(&mask);	/* for the task; also, a handler that forks would wait for us */
	if (claim_task(task))
		clone_task(task);
	sys_restore_signals(&mask);
}

/*
 * Valgrind runs one thread at a time and knows only libc's tasks. The constructor asks first, before the
 * environment may change.
 */
bool sampler_task_is_possible(void)
{
	static enum { UNKNOWN, NO, YES } answer;	/* set before any thread */

	if (answer == UNKNOWN) {
		answer = YES;
		for (const struct link_map *map = linker_debug()->r_map; map; map = map->l_next)
			if (map->l_name && text_begins(text_base_name(map->l_name), "vgpreload_"))
				answer = NO;
	}
	return answer == YES;
}

/* Return: is there room for a task? */
static bool prepare_task(int pid, struct run *run)
{
	LARGE static char own[TASK_PLACE_BYTES + sizeof(struct sampler_task)];
	struct sampler_task *task = helper; /* a forked child has a copy of its parent's */

	helper = NULL;
	sampler_task_due_ticks = 0;
	sampler_task_is_watched = 0;
	if (!task)
		task = find_place(own, sizeof(own), sizeof(*task));
	if (!task)
		return false;
	__builtin_memset(task, 0, offsetof(struct sampler_task, path));
	task->config = (struct sampler_config){
		.pid = pid, .own_thread = true, .system = true, .run = run,
		.settings = sampler_settings(&settings),
	};
	helper = task;
	return true;
}

static void look_later(const struct log_header *log)
{
	__atomic_store_n(&sampler_task_due_ticks,
			 clock_ticks(log->clock) + log->threshold_floor_ticks * WATCH_US, __ATOMIC_RELAXED);
}

void sampler_task_start(struct log_header *log, const char *path, struct run *run)
{
	if (!sampler_task_is_possible()) {
		helper = NULL;
		sampler_task_due_ticks = 0;
		sampler_task_is_watched = 0;
		return;
	}
	if (!prepare_task((int)log->pid, run))
		return;
	text_copy(helper->path, sizeof(helper->path), path);
	helper->config.log = log;
	if (run_is_watched(run->page)) {	/* until its own child ends, which this process may outlive */
		helper->pauses = 1;
		sampler_task_is_watched = 1;
		look_later(log);
	} else {
		start_task(helper);
	}
}

bool sampler_task_start_early(struct run *run)
{
	if (!prepare_task((int)sys_getpid(), run))
		return false;
	start_task(helper);
	return helper->tid;
}

/* The task calls this, or another thread that opens the log before the task does. */
void sampler_task_have_log(struct log_header *log, const char *path)
{
	struct sampler_task *task = helper;

	if (!task)
		return;
	text_copy(task->path, sizeof(task->path), path);
	__atomic_store_n(&task->config.log, log, __ATOMIC_RELEASE);
	tell_task(task, task->tid == STARTING ? 0 : task->tid);
}

/* Wait until the kernel has removed the task, which is a moment after it cleared tid. */
static void wait_for_end(struct sampler_task *task, uint32_t tid, int64_t most_ns)
{
	uint64_t until = clock_ns(CLOCK_MONOTONIC) + (uint64_t)most_ns;

	sys_futex_wait(&task->tid, tid, most_ns);
	while (raw_syscall(SYS_tgkill, task->config.pid, tid, 0, 0, 0, 0) == 0 &&
	       clock_ns(CLOCK_MONOTONIC) < until)
		raw_syscall(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
}

/*
 * When the kernel has forgotten the task, it still removes the task's part of /proc. A parent that reaps
 * this process meanwhile would spin until that is done: for some ms, if the task waits for the processor
 * that we took from it.
 */
static void let_it_go(void)
{
	const struct timespec moment = { .tv_nsec = MOMENT_NS };

	raw_syscall(SYS_nanosleep, (long)&moment, 0, 0, 0, 0, 0);
}

static void stop_task(struct sampler_task *task, enum stop how)
{
	uint32_t tid;

	while ((tid = __atomic_load_n(&task->tid, __ATOMIC_ACQUIRE)) == STARTING)
		/* not by yielding: we may have real-time priority */
		sys_futex_wait(&task->tid, STARTING, START_WAIT_NS);
	if (!tid)
		return;
	__atomic_store_n(&task->stop, how, __ATOMIC_RELEASE);
	raw_syscall(SYS_futex, (long)&task->stop, FUTEX_WAKE, 1, 0, 0, 0);
	wait_for_end(task, tid, how == PAUSE ? PAUSE_WAIT_NS : LAST_WAIT_NS);
	if (how == STOP)
		let_it_go();
}

/*
 * A vfork child shares our memory but not our task. After a seccomp filter there is no task, and no system
 * call may ask.
 */
static struct sampler_task *own_task(void)
{
	return helper && !live_is_sealed() && helper->config.pid == (int)sys_getpid() ? helper : NULL;
}

void sampler_task_stop(void)
{
	struct sampler_task *task = own_task();

	if (!task)
		return;
	sampler_task_resume_due();
	if (__atomic_exchange_n(&task->has_ended, 1, __ATOMIC_ACQ_REL) ||
	    __atomic_load_n(&sampler_task_is_watched, __ATOMIC_RELAXED))
		return;
	if (claim_first(task, ENDING_THREAD))
		take_only_sample(task);
	else
		stop_task(task, STOP);
}

void sampler_task_go_on(void)
{
	struct sampler_task *task = own_task();

	if (!task)
		return;
	__atomic_store_n(&task->has_ended, 0, __ATOMIC_RELEASE);
	start_task(task);
}

void sampler_task_before_exit(void)
{
	struct sampler_task *task = own_task();

	if (task && task->config.pid == (int)sys_gettid())
		sampler_task_pause();
}

void sampler_task_pause(void)
{
	struct sampler_task *task = own_task();

	if (!task)
		return;
	__atomic_fetch_add(&task->pauses, 1, __ATOMIC_ACQ_REL);
	stop_task(task, PAUSE);
}

/*
 * The count stays at 0 or above: a handler may fork in the middle of a pause, and the child's task was
 * never paused.
 */
static bool was_last_pause(struct sampler_task *task)
{
	uint32_t pauses = __atomic_load_n(&task->pauses, __ATOMIC_RELAXED);

	while (pauses && !__atomic_compare_exchange_n(&task->pauses, &pauses, pauses - 1, false,
						      __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		;
	return pauses == 1;
}

void sampler_task_resume(void)
{
	struct sampler_task *task = own_task();
	uint32_t tid;

	if (!task || !was_last_pause(task) || task->has_ended)
		return;
	tid = __atomic_load_n(&task->tid, __ATOMIC_ACQUIRE);
	if (tid && tid != STARTING)
		wait_for_end(task, tid, LAST_WAIT_NS);
	start_task(task);
}

void sampler_task_resume_later(void)
{
	struct sampler_task *task = own_task();
	const struct log_header *log;

	if (!task || __atomic_load_n(&task->has_ended, __ATOMIC_ACQUIRE))
		return;
	log = task->config.log ? task->config.log : entry_holder();
	if (!log) {
		sampler_task_resume();
		return;
	}
	/* One pause waits for all forks: if another fork's pause is already waiting, ours ends here. */
	if (__atomic_exchange_n(&sampler_task_due_ticks,
				clock_ticks(log->clock) + log->threshold_floor_ticks * LATER_US,
				__ATOMIC_ACQ_REL))
		sampler_task_resume();
}

/*
 * Has insideme-run ended? Then the task begins. One that was killed has left its number in the run's page: to
 * ask the kernel for it would be a system call of the program's thread each time.
 */
static bool watcher_has_gone(void)
{
	const struct sampler_task *task = helper;
	const struct log_header *log = task->config.log;

	if (clock_ticks(log->clock) < __atomic_load_n(&sampler_task_due_ticks, __ATOMIC_RELAXED))
		return false;
	if (__atomic_load_n(&task->config.run->page->monitor_pid, __ATOMIC_ACQUIRE)) {
		look_later(log);
		return false;
	}
	if (!own_task())
		return false;
	__atomic_store_n(&sampler_task_is_watched, 0, __ATOMIC_RELAXED);
	return true;
}

void sampler_task_resume_due(void)
{
	if (unlikely(__atomic_load_n(&sampler_task_is_watched, __ATOMIC_RELAXED)) && !watcher_has_gone())
		return;
	if (__atomic_exchange_n(&sampler_task_due_ticks, 0, __ATOMIC_ACQ_REL))
		sampler_task_resume();
}
