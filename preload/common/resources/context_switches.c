/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds up the context switches of threads. */
#include "preload/common/resources/context_switches.h"

#include "preload/common/base/directory.h"
#include "preload/common/base/proc_text.h"

void switches_open(struct switches *switches, int pid, struct read_count *count)
{
	switches->pid = pid;
	switches->count = count;
	switches->status_fd = proc_file_open(pid, "status");
	switches->task_fd = proc_file_open(pid, "task");
	switches->nr_threads = 0;
	switches->next = 0;
	switches->ended_voluntary = 0;
	switches->ended_involuntary = 0;
}

void switches_close(struct switches *switches)
{
	proc_file_close(&switches->status_fd);
	proc_file_close(&switches->task_fd);
}

static struct switches_thread *find_thread(struct switches *switches, int tid)
{
	for (uint32_t i = 0; i < switches->nr_threads; i++) {
		if (switches->threads[i].tid == tid)
			return &switches->threads[i];
	}
	return NULL;
}

/* Return: false when there are more threads than we keep. */
static bool take_tid(struct switches *switches, int tid)
{
	struct switches_thread *thread = find_thread(switches, tid);

	if (!thread) {
		if (switches->nr_threads == SWITCHES_THREADS)
			return false;
		thread = &switches->threads[switches->nr_threads++];
		thread->tid = tid;
		thread->voluntary = 0;
		thread->involuntary = 0;
	}
	thread->listed = true;
	return true;
}

/* A thread that is no longer listed has ended. Its numbers move to the sums. */
static void drop_ended(struct switches *switches)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < switches->nr_threads; i++) {
		struct switches_thread *thread = &switches->threads[i];

		if (thread->listed) {
			switches->threads[kept++] = *thread;
			continue;
		}
		switches->ended_voluntary += thread->voluntary;
		switches->ended_involuntary += thread->involuntary;
	}
	switches->nr_threads = kept;
}

static bool list_threads(struct switches *switches, char *buffer, uint64_t bytes)
{
	struct directory directory;
	bool all = true;
	uint64_t tid;

	directory_begin(&directory, switches->task_fd, buffer, bytes);
	for (uint32_t i = 0; i < switches->nr_threads; i++)
		switches->threads[i].listed = false;
	while (directory_next_number(&directory, &tid))
		all = take_tid(switches, (int)tid) && all;
	if (directory.length < 0)
		return false;
	drop_ended(switches);
	/* list the threads again before the next sum */
	switches->next = all ? 0 : switches->nr_threads;
	return all;
}

/* Read the next thread's own numbers. A thread that has just ended keeps the numbers that it had. */
static void read_next(struct switches *switches, char *buffer, uint64_t bytes)
{
	struct switches_thread *thread = &switches->threads[switches->next++];
	struct proc_status status;
	int fd = proc_file_open_task(switches->task_fd, (uint64_t)thread->tid, "status");

	if (proc_file_read(fd, switches->count, buffer, bytes, 0) > 0) {
		proc_parse_status(buffer, &status);
		if (status.involuntary_switches != LOG_NONE) {
			thread->voluntary = status.voluntary_switches;
			thread->involuntary = status.involuntary_switches;
		}
	}
	proc_file_close(&fd);
}

static void read_many(struct switches *switches, struct figures *figures, char *buffer, uint64_t bytes)
{
	if (switches->next >= switches->nr_threads && !list_threads(switches, buffer, bytes))
		return;
	if (switches->nr_threads == 0)
		return;
	read_next(switches, buffer, bytes);
	figures->voluntary_switches = switches->ended_voluntary;
	figures->involuntary_switches = switches->ended_involuntary;
	for (uint32_t i = 0; i < switches->nr_threads; i++) {
		figures->voluntary_switches += switches->threads[i].voluntary;
		figures->involuntary_switches += switches->threads[i].involuntary;
	}
}

void switches_read(struct switches *switches, uint64_t nr_threads, struct figures *figures, char *buffer,
		   uint64_t bytes)
{
	struct proc_status status;

	if (nr_threads > SWITCHES_THREADS)
		return;
	if (nr_threads > 1 || switches->nr_threads > 0) {
		read_many(switches, figures, buffer, bytes);
		return;
	}
	if (proc_file_read(switches->status_fd, switches->count, buffer, bytes, 0) <= 0)
		return;
	proc_parse_status(buffer, &status);
	figures->voluntary_switches = status.voluntary_switches;
	figures->involuntary_switches = status.involuntary_switches;
}
