/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "preload/monitor/stacks/sampling.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/common/base/clock.h"
#include "preload/common/run/process_id.h"
#include "preload/monitor/stacks/object_copy.h"
#include "preload/monitor/stacks/stack_log.h"
#include "preload/monitor/stacks/threads.h"

#define KEPT_FD 3
#define LOOK_NS 1000000000u	/* between looks for objects that came or went */
#define LEAST_LOOK_NS 50000000u /* where code lies in no known object */
#define LIST_NS 1000000000u	/* between lists of threads, if their number stays */
#define ATTEMPTS	5
#define IDLE_NS 1000000000u	/* a thread that has waited so long is looked at less often: */
#define IDLE_INTERVALS 8
#define PROCESS_CPU_CLOCK 2	/* the kernel's CPUCLOCK_SCHED, of a process: (~pid << 3) + this */

struct sampled_thread {
	struct other_thread other;
	struct logged_thread logged;
	size_t stack_bytes;		 /* to be copied */
	uint64_t lacked_addr;		 /* on another stack, on which its last one continued; 0: none */
	uint32_t nr_due;		 /* intervals that its next sample stands for */
	uint64_t seen_ns;		 /* of its last sample */
	uint64_t owed_ns;		 /* less than an interval: not sampled yet */
	uint64_t moved_ns;		 /* when it was last found at another place than before */
	uint64_t spent_ns;		 /* on a processor and ready, as at its last look */
	uint64_t cpu_ns, ready_ns;	 /* as at its last look */
	double cpu_sum_ns, ready_sum_ns; /* since it was opened */
	uint64_t nr_counted,
		nr_ready_counted; /* intervals that its samples stand for; in which it was ready */
	uint64_t seen_runs; /* sampler_of_stacks.nr_runs at its last look */
	bool is_listed;
};

struct sampler_of_stacks {
	const struct stack_sampling *sampling;
	struct target target;
	struct unwinder *unwinder;
	struct stack_log to;
	struct sampled_thread **threads;
	size_t nr_threads;
	uint64_t interval_ns;
	uint64_t now_ns;		/* CLOCK_MONOTONIC at the begin of this round */
	uint64_t process_cpu_ns;	/* of all threads, at the same time */
	bool has_run;			/* has any of them run since the round before */
	uint64_t nr_runs; /* rounds in which that was so */
	uint64_t listed_ns;
	uint64_t nr_tasks; /* links of /proc/PID/task, when they were listed */
	int task_fd;
	uint64_t random;
	uint64_t cost_ns; /* CPU time that is already in the log */
	struct stack stack;
};

static uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* ---- why there are no stacks ---- */

static bool has_32_bits(pid_t pid)
{
	char path[32];
	unsigned char ident[EI_NIDENT];
	int fd;
	bool found;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	found = fd >= 0 && read(fd, ident, sizeof(ident)) == sizeof(ident) && ident[EI_CLASS] == ELFCLASS32;
	if (fd >= 0)
		close(fd);
	return found;
}

static const char *remedy(int error)
{
	char scope[8];

	if (error != -EPERM && error != -EACCES)
		return "it has ended, or is a thread of the kernel";
	if (read_file("/proc/sys/kernel/yama/ptrace_scope", scope, sizeof(scope)) > 0 && scope[0] != '0' &&
	    geteuid())
		return "no right to read its memory: sysctl kernel.yama.ptrace_scope=0, or run as root";
	return "no right to read its memory: run as root; in a container, with --cap-add=SYS_PTRACE";
}

static void say(const struct sampler_of_stacks *sampler, const char *why)
{
	fprintf(stderr, "insideme-run: no stacks of process %d: %s\n", (int)sampler->sampling->pid, why);
	log_write_text(sampler->sampling->log, "samples_off", why,
		       clock_ticks(sampler->sampling->log->clock));
}

/* ---- one thread ---- */

/* A file may be deleted at any time. Return: as target_look(). */
static int look(struct sampler_of_stacks *sampler)
{
	struct target *target = &sampler->target;
	const int error = target_look(target, stack_log_object, &sampler->to);

	for (size_t i = 0; !error && i < target->nr_objects; i++)
		object_keep(target, target->objects[i], sampler->sampling->directory);
	return error;
}

static void look_for_objects(struct sampler_of_stacks *sampler)
{
	const int64_t past_ns = (int64_t)(sampler->now_ns - sampler->target.looked_ns);

	if (past_ns > LOOK_NS || (past_ns > LEAST_LOOK_NS && unwinder_missed_object(sampler->unwinder)))
		look(sampler);
}

/* How many intervals have passed since its last sample? */
static void count_due(struct sampler_of_stacks *sampler, struct sampled_thread *thread)
{
	uint64_t nr;

	thread->nr_due = 1;
	if (!sampler->interval_ns)
		return;
	thread->owed_ns += sampler->now_ns - thread->seen_ns;
	thread->seen_ns = sampler->now_ns;
	nr = thread->owed_ns / sampler->interval_ns;
	thread->owed_ns -= nr * sampler->interval_ns;
	thread->nr_due = nr < UINT16_MAX ? (uint32_t)nr : UINT16_MAX;
}

/*
 * /proc does not distinguish running threads from those that are only ready to run. The kernel counts both
 * times, and samples are divided in the same proportion. A thread that has called exec takes the place of
 * another one.
 */
static enum log_sample_state state_of(struct sampled_thread *thread)
{
	const struct other_thread *other = &thread->other;
	double sum_ns, owed;

	if (other->cpu_ns >= thread->cpu_ns && other->ready_ns >= thread->ready_ns) {
		thread->cpu_sum_ns += (double)(other->cpu_ns - thread->cpu_ns);
		thread->ready_sum_ns += (double)(other->ready_ns - thread->ready_ns);
	}
	thread->cpu_ns = other->cpu_ns;
	thread->ready_ns = other->ready_ns;
	sum_ns = thread->cpu_sum_ns + thread->ready_sum_ns;
	thread->nr_counted += thread->nr_due;
	owed = sum_ns > 0 ? (double)thread->nr_counted * thread->ready_sum_ns / sum_ns : 0;
	if (owed - (double)thread->nr_ready_counted < thread->nr_due / 2.0)
		return LOG_SAMPLE_RUNNING;
	thread->nr_ready_counted += thread->nr_due;
	return LOG_SAMPLE_READY;
}

/* @loss: why it is cut, if it is. */
static void write_as(struct sampler_of_stacks *sampler, struct sampled_thread *thread, uint16_t flags,
		     enum log_loss loss)
{
	const uint32_t node = stack_log_path(&sampler->to, &thread->logged, &sampler->stack);

	if (sampler->stack.is_cut)
		log_lose(sampler->to.log, loss);
	stack_log_sample(&sampler->to, &thread->logged, node, thread->other.registers.at[REGISTER_IP], flags,
			 thread->nr_due);
}

static void write_stack(struct sampler_of_stacks *sampler, struct sampled_thread *thread, uint16_t flags)
{
	write_as(sampler, thread, flags, LOG_LOST_STACK_ENDS);
}

/* The stack is not known. */
static void write_unknown(struct sampler_of_stacks *sampler, struct sampled_thread *thread, uint16_t flags,
			  enum log_loss loss)
{
	sampler->stack.nr = 0;
	sampler->stack.is_cut = true;
	thread->other.registers.at[REGISTER_IP] = 0;
	write_as(sampler, thread, flags, loss);
}

/*
 * If a copy was too short, more is read at the thread's next stop: more of the stack, or of one that a
 * handler interrupted.
 */
static void want_more(struct sampled_thread *thread, uint64_t addr)
{
	const uint64_t beyond = addr - thread->other.registers.at[REGISTER_SP];

	if (addr && beyond > STACK_BYTES_MOST)
		thread->lacked_addr = addr;
	else if (addr && thread->stack_bytes < STACK_BYTES_MOST / 2)
		thread->stack_bytes *= 2;
}

/* The thread is stopped only while its registers and its stack are copied. Return: 0, or -errno. */
static int copy_running(struct sampler_of_stacks *sampler, struct sampled_thread *thread)
{
	int error = thread_stop(&thread->other);

	if (error)
		return error;
	error = unwinder_copy(sampler->unwinder, thread->other.registers.at[REGISTER_SP],
			      thread->stack_bytes);
	if (thread->lacked_addr)
		unwinder_copy_more(sampler->unwinder, thread->lacked_addr);
	thread_go_on(&thread->other);
	if (!error)
		unwinder_walk(sampler->unwinder, &thread->other.registers, false, &sampler->stack);
	return error;
}

/*
 * For a dump, stop the thread if that does no harm: then stacks of code without optimization are whole too.
 */
static void take_waiting(struct sampler_of_stacks *sampler, struct sampled_thread *thread, char letter)
{
	struct other_thread *other = &thread->other;
	const uint16_t flags = sample_flags(
		letter == 'T' || letter == 't' ? LOG_SAMPLE_STOPPED : LOG_SAMPLE_WAITING, other->call);
	const int error =
		unwinder_copy(sampler->unwinder, other->registers.at[REGISTER_SP], STACK_BYTES_FIRST);

	thread->lacked_addr = 0;
	if (!error)
		unwinder_walk(sampler->unwinder, &other->registers, true, &sampler->stack);
	if (!error && !sampler->interval_ns && sampler->stack.is_cut && thread_may_be_stopped(other) &&
	    copy_running(sampler, thread) == 0) {
		write_stack(sampler, thread, flags);
		return;
	}
	if (!thread_still_waits(other)) {
		log_lose(sampler->to.log, LOG_LOST_WOKEN);
		return;
	}
	if (error)
		write_unknown(sampler, thread, flags, LOG_LOST_STACK_ENDS);
	else
		write_stack(sampler, thread, flags);
}

static void take_running(struct sampler_of_stacks *sampler, struct sampled_thread *thread)
{
	const uint16_t flags = sample_flags(state_of(thread), NO_CALL);
	int error = copy_running(sampler, thread);

	want_more(thread, error ? 0 : sampler->stack.lacks_addr);
	if (!error && !sampler->interval_ns && sampler->stack.lacks_addr)
		error = copy_running(sampler, thread);
	if (error == -ESRCH)
		return;
	if (error)
		write_unknown(sampler, thread, flags,
			      error == -EBUSY ? LOG_LOST_TRACED : LOG_LOST_STACK_ENDS);
	else
		write_stack(sampler, thread, flags);
}

/* If the first thread of a process ends before others, it is kept as a zombie. */
static bool is_over(char letter)
{
	return !letter || letter == 'Z' || letter == 'X';
}

/*
 * After several intervals it is known how long the thread ran and was ready: for the rest it was still at the
 * place of its last sample.
 */
static void count_wait_before(struct sampler_of_stacks *sampler, struct sampled_thread *thread, bool waited)
{
	const uint64_t spent_ns = thread->other.cpu_ns + thread->other.ready_ns;
	uint64_t nr = 1;

	if (sampler->interval_ns)
		nr += (spent_ns - thread->spent_ns) / sampler->interval_ns;
	thread->spent_ns = spent_ns;
	thread->moved_ns = sampler->now_ns;
	if (!waited || nr >= thread->nr_due)
		return;
	stack_log_same(&sampler->to, &thread->logged, thread->nr_due - (uint32_t)nr);
	thread->nr_due = (uint32_t)nr;
}

/* Return: whether it is still there. */
static bool look_at(struct sampler_of_stacks *sampler, struct sampled_thread *thread)
{
	const bool waited = thread->other.waited;
	const enum thread_look look = thread_look(&thread->other);
	char letter;

	if (look == THREAD_GONE)
		return false;
	if (look == THREAD_SAME) {
		stack_log_same(&sampler->to, &thread->logged, thread->nr_due);
		return true;
	}
	count_wait_before(sampler, thread, waited);
	if (look == THREAD_RUNS) {
		take_running(sampler, thread);
	} else if (look == THREAD_HIDDEN) {
		write_unknown(sampler, thread, sample_flags(LOG_SAMPLE_WAITING, NO_CALL),
			      LOG_LOST_STACK_ENDS);
	} else {
		letter = thread_letter(sampler->target.pid, thread->other.tid);
		if (is_over(letter))
			return false;
		take_waiting(sampler, thread, letter);
	}
	return true;
}

static bool is_idle(const struct sampler_of_stacks *sampler, const struct sampled_thread *thread)
{
	return sampler->interval_ns && thread->other.waited && thread->logged.last &&
	       sampler->now_ns - thread->moved_ns > IDLE_NS &&
	       sampler->now_ns - thread->seen_ns < IDLE_INTERVALS * sampler->interval_ns;
}

/* Return: whether it is still there. */
static bool sample_thread(struct sampler_of_stacks *sampler, struct sampled_thread *thread)
{
	bool is_there = true;

	if (is_idle(sampler, thread))
		return true;
	count_due(sampler, thread);
	if (!thread->nr_due)
		return true;
	if (thread->seen_runs == sampler->nr_runs && thread->other.waited && thread->logged.last) {
		stack_log_same(&sampler->to, &thread->logged, thread->nr_due);
	} else {
		thread->seen_runs = sampler->nr_runs;
		is_there = look_at(sampler, thread);
	}
	look_for_objects(sampler);
	return is_there;
}

/* ---- all threads ---- */

static struct sampled_thread *find_thread(const struct sampler_of_stacks *sampler, pid_t tid)
{
	for (size_t i = 0; i < sampler->nr_threads; i++)
		if (sampler->threads[i]->other.tid == tid)
			return sampler->threads[i];
	return NULL;
}

static void add_thread(struct sampler_of_stacks *sampler, pid_t tid, uint64_t ticks)
{
	struct sampled_thread *thread = find_thread(sampler, tid), **threads;

	if (thread) {
		thread->is_listed = true;
		return;
	}
	thread = calloc(1, sizeof(*thread));
	threads = realloc(sampler->threads, (sampler->nr_threads + 1) * sizeof(*threads));
	if (!thread || !threads)
		abort();
	sampler->threads = threads;
	if (is_over(thread_letter(sampler->target.pid, tid)) ||
	    thread_open(&thread->other, sampler->target.pid, tid) < 0) {
		free(thread);
		return;
	}
	thread->is_listed = true;
	thread->cpu_ns = thread->other.cpu_ns;
	thread->ready_ns = thread->other.ready_ns;
	thread->stack_bytes = sampler->sampling->rate ? STACK_BYTES_FIRST : STACK_BYTES_MOST / 2;
	thread->seen_ns = thread->moved_ns = sampler->now_ns;
	thread->owed_ns = sampler->interval_ns / 2;
	stack_log_thread(&sampler->to, &thread->logged, sampler->target.pid, tid, ticks);
	sampler->threads[sampler->nr_threads++] = thread;
}

static void drop_thread(struct sampler_of_stacks *sampler, size_t at)
{
	struct sampled_thread *thread = sampler->threads[at];

	stack_log_thread_end(&sampler->to, &thread->logged);
	thread_close(&thread->other);
	free(thread);
	sampler->threads[at] = sampler->threads[--sampler->nr_threads];
}

/* @ticks: when new threads began. */
static void list_threads(struct sampler_of_stacks *sampler, uint64_t ticks)
{
	DIR *tasks = fdopendir(openat(sampler->task_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	struct dirent *entry;

	for (size_t i = 0; i < sampler->nr_threads; i++)
		sampler->threads[i]->is_listed = false;
	while (tasks && (entry = readdir(tasks)))
		if (entry->d_name[0] != '.')
			add_thread(sampler, (pid_t)strtol(entry->d_name, NULL, 10), ticks);
	if (tasks)
		closedir(tasks);
	for (size_t i = sampler->nr_threads; i-- > 0;)
		if (!sampler->threads[i]->is_listed)
			drop_thread(sampler, i);
	sampler->listed_ns = sampler->now_ns;
}

/* The directory has a link for each thread. */
static void see_new_threads(struct sampler_of_stacks *sampler)
{
	struct stat stat_of;

	if (fstat(sampler->task_fd, &stat_of) < 0)
		return;
	if (stat_of.st_nlink != sampler->nr_tasks || sampler->now_ns - sampler->listed_ns > LIST_NS)
		list_threads(sampler, clock_ticks(sampler->to.log->clock));
	sampler->nr_tasks = stat_of.st_nlink;
}

/* The cost of this process, in addition to insideme-run's own. */
static void count_cost(struct sampler_of_stacks *sampler)
{
	uint64_t now = clock_ns(CLOCK_PROCESS_CPUTIME_ID);

	__atomic_fetch_add(&sampler->to.log->sampler_cpu_ns, now - sampler->cost_ns, __ATOMIC_RELAXED);
	sampler->cost_ns = now;
}

/* One reading instead of one for each thread that waits. */
static void read_process_clock(struct sampler_of_stacks *sampler)
{
	const clockid_t clock = (clockid_t)(~(unsigned)sampler->target.pid << 3 | PROCESS_CPU_CLOCK);
	struct timespec time = { 0 };
	uint64_t before = sampler->process_cpu_ns;

	sampler->has_run = true;
	if (clock_gettime(clock, &time) < 0)
		return;
	sampler->process_cpu_ns = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
	sampler->has_run = sampler->process_cpu_ns != before;
}

static void sample_all(struct sampler_of_stacks *sampler)
{
	sampler->now_ns = now_ns();
	read_process_clock(sampler);
	sampler->nr_runs += sampler->has_run;
	thread_go_on_late();
	see_new_threads(sampler);
	if (sampler->has_run && !target_is_same(&sampler->target))
		look(sampler);
	for (size_t i = sampler->nr_threads; i-- > 0;)
		if (!sample_thread(sampler, sampler->threads[i]))
			drop_thread(sampler, i);
	count_cost(sampler);
}

/* A dump has all threads, even one that began to run while it was read. */
static void sample_once(struct sampler_of_stacks *sampler)
{
	for (int attempt = 0; attempt < ATTEMPTS; attempt++)
		for (size_t i = sampler->nr_threads; i-- > 0;)
			if (!sampler->threads[i]->logged.last && !sample_thread(sampler, sampler->threads[i]))
				drop_thread(sampler, i);
}

/* Wait between half an interval and one and a half, because the program may have a rhythm of its own. */
static void pause_randomly(struct sampler_of_stacks *sampler)
{
	struct timespec pause;
	uint64_t ns;

	sampler->random = sampler->random * 6364136223846793005u + 1442695040888963407u;
	ns = sampler->interval_ns / 2 + (sampler->random >> 33) % sampler->interval_ns;
	pause = (struct timespec){ (time_t)(ns / 1000000000u), (long)(ns % 1000000000u) };
	nanosleep(&pause, NULL);
}

static int begin(struct sampler_of_stacks *sampler)
{
	const struct stack_sampling *sampling = sampler->sampling;
	const char *why = NULL;
	char path[32], byte;
	int error;

	sampler->target.pid = sampling->pid;
	sampler->now_ns = now_ns();
	sampler->random = sampler->now_ns | 1;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)sampling->pid);
	sampler->task_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	stack_log_init(&sampler->to, sampling->log, KEPT_FD, sampling->rate ?: 100);
	log_grow(sampling->log, KEPT_FD, sampling->log->tail_bytes + (512u << 10));
	if (has_32_bits(sampling->pid))
		why = "it is a program of 32 bits";
	else
		sampler->unwinder = unwinder_new(&sampler->target, &why);
	if (!sampler->unwinder) {
		say(sampler, why);
		return -ENOSYS;
	}
	error = look(sampler);
	if (!error && sampler->target.nr_objects)
		error = (int)target_read(&sampler->target, sampler->target.objects[0]->begin, &byte, 1);
	if (error < 0)
		say(sampler, remedy(error));
	return error < 0 ? error : 0;
}

static void needs_many_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* While it has no processor, a thread that it has stopped stands still. It takes few of its turns. */
static void go_first(void)
{
	setpriority(PRIO_PROCESS, 0, -20);
}

_Noreturn static void run(const struct stack_sampling *sampling)
{
	static struct sampler_of_stacks sampler;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	go_first();
	prctl(PR_SET_NAME, "insideme-stacks");
	dup2(sampling->log_fd, KEPT_FD);
	syscall(SYS_close_range, KEPT_FD + 1, ~0u, 0);
	needs_many_files();
	sampler.sampling = sampling;
	if (begin(&sampler) < 0)
		_exit(1);
	list_threads(&sampler, sampling->log->start.ticks);
	if (!sampling->rate) {
		sample_once(&sampler);
		_exit(0);
	}
	sampler.interval_ns = 1000000000u / sampling->rate;
	while (sampler.nr_threads) {
		sample_all(&sampler);
		pause_randomly(&sampler);
	}
	_exit(0);
}

pid_t stack_sampling_start(const struct stack_sampling *sampling)
{
	pid_t pid = fork();

	if (pid == 0)
		run(sampling);
	return pid < 0 ? -errno : pid;
}

void stack_sampling_stop(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	stack_sampling_wait(pid);
}

bool stack_sampling_wait(pid_t pid)
{
	int status;

	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
