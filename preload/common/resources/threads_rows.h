/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The threads of a process: the CPU time of each, its waiting for a processor, and the sum of all
 * waiting. Each thread that lives long enough to be seen twice gets its own set of rows.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "preload/common/base/proc_text.h"
#include "preload/common/log/columns.h"
#include "preload/common/log/rows_writer.h"
#include "preload/common/resources/blocked_calls.h"
#include "preload/common/resources/off_cpu.h"
#include "preload/common/resources/page_faults.h"
#include "preload/common/resources/proc_file.h"

#define TASKS_MAX	64	/* looked at together; with more threads, the sum is not known */

struct task {
	int tid;
	bool listed;			/* in the newest listing */
	bool has_rows;
	uint64_t cpu_ns, wait_ns;		/* as last read */
	struct proc_io io;			/* LOG_NONE: not read */
	struct row_set rows;
	uint64_t last[6];
	struct off_cpu off;
	struct page_faults faults;
	struct blocked_thread blocked;
};

struct tasks {
	int task_fd;			/* the directory of its threads */
	int own_tid;			/* left out; 0: no thread of the process is ours */
	struct log_header *log;
	struct read_count *count;
	uint64_t ended_wait_ns;		/* of threads that have ended, as last read */
	uint64_t room_bytes;		/* left for the rows of threads not seen before */
	uint32_t nr_readings;
	uint32_t nr_tasks;
	bool has_more;			/* there are more threads than we keep */
	bool has_new;			/* some were seen for the first time, so their rows begin next time */
	struct log_header *faults_log;	/* gets page faults by code; NULL: not wanted, or not allowed */
	struct blocked_log blocked;
	struct task list[TASKS_MAX];
};

/* @faults_log: of a process that has the same code, @log or another one; NULL: page faults are not wanted. */
void tasks_init(struct tasks *tasks, struct log_header *log, struct log_header *faults_log, bool wants_waits);
void tasks_open(struct tasks *tasks, int pid, bool own_thread, struct read_count *count);
/* @log_fd: see tasks_read(). */
void tasks_close(struct tasks *tasks, int log_fd);

/*
 * Read each of @nr_threads threads (LOG_NONE: list them anew) and add its row. @log_fd: to grow the log.
 * @buffer: for texts of /proc.
 */
void tasks_read(struct tasks *tasks, uint64_t nr_threads, int log_fd, char *buffer, uint64_t bytes);

/* Repeat the last row of each thread at @ticks of the log's clock, if its rows end before. */
void tasks_repeat(struct tasks *tasks, uint64_t ticks, int log_fd);

/* Sum over all threads so far, including those that have ended. LOG_NONE: some were not looked at. */
uint64_t tasks_wait_ns(const struct tasks *tasks);
