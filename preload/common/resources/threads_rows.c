/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads threads one by one. Files are opened for each reading: a thousand threads would need a
 * thousand descriptors.
 */
#include "preload/common/resources/threads_rows.h"

#include "preload/common/base/clock.h"
#include "preload/common/base/directory.h"
#include "preload/common/base/proc_text.h"
#include "preload/common/base/text.h"
#include "preload/common/log/log.h"

/* the threads are listed once in so many readings, even when their number stays the same */
#define LIST_ALWAYS	16
#define ROOM_SHIFT	6	/* share of the budget for the rows of all threads ever */

void tasks_init(struct tasks *tasks, struct log_header *log, struct log_header *faults_log, bool wants_waits)
{
	tasks->faults_log = faults_log;
	tasks->blocked = (struct blocked_log){ .log = log, .is_on = wants_waits };
	tasks->log = log;
	tasks->task_fd = -1;
	tasks->ended_wait_ns = 0;
	tasks->room_bytes = log->map_bytes >> ROOM_SHIFT;
	tasks->nr_readings = 0;
	tasks->nr_tasks = 0;
	tasks->has_more = tasks->has_new = false;
}

static void forgo_faults(struct tasks *tasks, const char *why)
{
	log_write_text(tasks->faults_log, "page_faults_off", why, clock_ticks(tasks->faults_log->clock));
	tasks->faults_log = NULL;
}

/* The log of another process grows by its own writers alone. */
static int faults_fd(const struct tasks *tasks, int log_fd)
{
	return tasks->faults_log == tasks->log ? log_fd : -1;
}

void tasks_open(struct tasks *tasks, int pid, bool own_thread, struct read_count *count)
{
	tasks->count = tasks->blocked.count = count;
	tasks->own_tid = own_thread ? (int)sys_gettid() : 0;
	tasks->blocked.own_addr = own_thread ? (uintptr_t)tasks : 0;
	tasks->task_fd = proc_file_open(pid, "task");
	if (tasks->own_tid && tasks->faults_log)
		forgo_faults(tasks, "only insideme-run records them");
}

/* Subtract what a set took from the room that all sets share. */
static void charge(struct tasks *tasks, uint64_t taken)
{
	tasks->room_bytes -= taken < tasks->room_bytes ? taken : tasks->room_bytes;
}

/*
 * The kernel's records are read from outside only: from inside, its ring would lie in the program's
 * memory.
 */
static void open_off_cpu(struct tasks *tasks, struct task *task)
{
	task->off.ring = NULL;
	task->off.rows.taken_bytes = 0;
	if (!tasks->own_tid && tasks->room_bytes >= column_sets[SET_THREAD_OFF].first_bytes)
		off_cpu_open(&task->off, task->tid, tasks->log);
}

/* A thread that has ended meanwhile is no reason to give up. */
static void open_faults(struct tasks *tasks, struct task *task)
{
	int error = tasks->faults_log ? page_faults_open(&task->faults, task->tid, tasks->faults_log) : 0;
	char why[96];
	struct text text;

	if (!tasks->faults_log)
		task->faults.ring = NULL;
	if (!error || error == -ESRCH)
		return;
	text_init(&text, why, sizeof(why));
	text_add(&text, "the kernel does not allow perf events: ");
	text_add_error(&text, error);
	forgo_faults(tasks, why);
}

static void read_off_cpu(struct tasks *tasks, struct task *task, int log_fd,
			 void (*reading)(struct off_cpu *off, int log_fd))
{
	uint64_t taken = task->off.rows.taken_bytes;

	reading(&task->off, log_fd);
	charge(tasks, task->off.rows.taken_bytes - taken);
}

void tasks_close(struct tasks *tasks, int log_fd)
{
	for (uint32_t i = 0; i < tasks->nr_tasks; i++) {
		read_off_cpu(tasks, &tasks->list[i], log_fd, off_cpu_close);
		page_faults_close(&tasks->list[i].faults, faults_fd(tasks, log_fd));
	}
	proc_file_close(&tasks->task_fd);
}

static void take_tid(struct tasks *tasks, int tid)
{
	struct task *task = tasks->list;

	if (tid == tasks->own_tid)
		return;
	while (task < tasks->list + tasks->nr_tasks && task->tid != tid)
		task++;
	if (task == tasks->list + TASKS_MAX) {
		tasks->has_more = true;
		return;
	}
	if (task == tasks->list + tasks->nr_tasks) {
		tasks->nr_tasks++;
		task->tid = tid;
		task->has_rows = false;
		task->cpu_ns = task->wait_ns = 0;
		proc_parse_io("", &task->io);
		task->blocked = (struct blocked_thread){ .read_ns = 0 };
		open_off_cpu(tasks, task);
		open_faults(tasks, task);
	}
	task->listed = true;
}

static void drop_ended(struct tasks *tasks, int log_fd)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < tasks->nr_tasks; i++) {
		struct task *task = &tasks->list[i];

		if (!task->listed) {
			tasks->ended_wait_ns += task->wait_ns;
			read_off_cpu(tasks, task, log_fd, off_cpu_close);
			page_faults_close(&task->faults, faults_fd(tasks, log_fd));
			continue;
		}
		if (kept != i) {
			__builtin_memcpy(&tasks->list[kept], task, sizeof(*task));
			tasks->list[kept].rows.last = tasks->list[kept].last;
			off_cpu_move(&tasks->list[kept].off, &task->off);
		}
		kept++;
	}
	tasks->nr_tasks = kept;
}

static void list_tasks(struct tasks *tasks, int log_fd, char *buffer, uint64_t bytes)
{
	struct directory directory;
	uint64_t tid;

	for (uint32_t i = 0; i < tasks->nr_tasks; i++)
		tasks->list[i].listed = false;
	directory_begin(&directory, tasks->task_fd, buffer, bytes);
	while (directory_next_number(&directory, &tid))
		take_tid(tasks, (int)tid);
	drop_ended(tasks, log_fd);
}

static void append(struct tasks *tasks, struct task *task, uint64_t ticks, const struct figures *figures,
		   int log_fd)
{
	uint64_t taken = task->rows.taken_bytes;

	task->rows.log_fd = log_fd;
	row_set_add(&task->rows, ticks, figures);
	charge(tasks, task->rows.taken_bytes - taken);
}

/*
 * A thread that is seen for the first time may be gone at once, so its rows begin at the second
 * reading.
 */
static void add_row(struct tasks *tasks, struct task *task, uint64_t ticks, const struct figures *figures,
		    int log_fd)
{
	const struct column_set *set = &column_sets[SET_THREAD];

	if (!task->has_rows) {
		if (tasks->room_bytes < set->first_bytes)
			return;
		row_set_init(&task->rows, tasks->log, log_fd, set, (uint32_t)task->tid, task->last);
		task->has_rows = tasks->has_new = true;
		return;
	}
	append(tasks, task, ticks, figures, log_fd);
}

/*
 * A process that never had a second thread has the thread's I/O. A thread that has not run since the last
 * reading has done none.
 */
static void read_io(struct tasks *tasks, struct task *task, bool has_run, char *buffer, uint64_t bytes)
{
	const bool was_read = task->io.read_chars != LOG_NONE;
	int fd;

	if (was_read ? !has_run : tasks->nr_tasks < 2)
		return;
	fd = proc_file_open_task(tasks->task_fd, (uint64_t)task->tid, "io");
	if (proc_file_read(fd, tasks->count, buffer, bytes, 0) > 0)
		proc_parse_io(buffer, &task->io);
	proc_file_close(&fd);
}

static void set_figures(const struct task *task, struct figures *figures)
{
	figures->thread_cpu_ns = task->cpu_ns;
	figures->thread_wait_ns = task->wait_ns;
	figures->thread_read_bytes = task->io.read_bytes;
	figures->thread_write_bytes = task->io.write_bytes;
	figures->thread_read_chars = task->io.read_chars;
	figures->thread_write_chars = task->io.write_chars;
}

static void read_task(struct tasks *tasks, struct task *task, int log_fd, char *buffer, uint64_t bytes)
{
	struct proc_schedstat schedstat;
	struct figures figures;
	bool has_run;
	int fd = proc_file_open_task(tasks->task_fd, (uint64_t)task->tid, "schedstat");
	long length = proc_file_read(fd, tasks->count, buffer, bytes, 0);
	/* At once: this task may have to wait for a processor later on, while the thread runs. */
	uint64_t ticks = clock_ticks(tasks->log->clock);

	if (length > 0 && proc_parse_schedstat(buffer, &schedstat) == 0) {
		if (schedstat.cpu_ns < task->cpu_ns) {	/* another thread, which got the same tid */
			read_off_cpu(tasks, task, log_fd, off_cpu_close);
			open_off_cpu(tasks, task);
			page_faults_close(&task->faults, faults_fd(tasks, log_fd));
			open_faults(tasks, task);
		}
		has_run = schedstat.cpu_ns != task->cpu_ns;
		task->cpu_ns = schedstat.cpu_ns;
		task->wait_ns = schedstat.wait_ns;
		read_io(tasks, task, has_run, buffer, bytes);
		set_figures(task, &figures);
		add_row(tasks, task, ticks, &figures, log_fd);
		blocked_look(&tasks->blocked, &task->blocked, tasks->task_fd, task->tid,
			     schedstat.cpu_ns + schedstat.wait_ns, log_fd, buffer, bytes);
	}
	proc_file_close(&fd);
}

void tasks_read(struct tasks *tasks, uint64_t nr_threads, int log_fd, char *buffer, uint64_t bytes)
{
	tasks->has_new = false;
	if (tasks->task_fd < 0)
		return;
	if (nr_threads != tasks->nr_tasks || tasks->nr_readings++ % LIST_ALWAYS == 0)
		list_tasks(tasks, log_fd, buffer, bytes);
	for (uint32_t i = 0; i < tasks->nr_tasks; i++) {
		read_task(tasks, &tasks->list[i], log_fd, buffer, bytes);
		read_off_cpu(tasks, &tasks->list[i], log_fd, off_cpu_read);
		page_faults_read(&tasks->list[i].faults, faults_fd(tasks, log_fd));
	}
}

void tasks_repeat(struct tasks *tasks, uint64_t ticks, int log_fd)
{
	for (uint32_t i = 0; i < tasks->nr_tasks; i++) {
		struct task *task = &tasks->list[i];
		struct figures figures;

		set_figures(task, &figures);
		if (task->has_rows && task->rows.nr_rows && ticks > task->rows.ticks)
			append(tasks, task, ticks, &figures, log_fd);
	}
}

uint64_t tasks_wait_ns(const struct tasks *tasks)
{
	uint64_t wait_ns = tasks->ended_wait_ns;

	if (tasks->task_fd < 0 || tasks->has_more || !tasks->nr_readings)
		return LOG_NONE;
	for (uint32_t i = 0; i < tasks->nr_tasks; i++)
		wait_ns += tasks->list[i].wait_ns;
	return wait_ns;
}
