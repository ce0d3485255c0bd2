/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread of another process: whether it runs, or in which system call it waits, and its registers.
 *
 * A waiting thread is only read: /proc has its stack pointer and code address, and the count of its turns on
 * a processor says whether it has run meanwhile. Stopping it would end system calls such as epoll_wait() with
 * EINTR.
 */
#pragma once

#include <sys/types.h>

#include "preload/monitor/stacks/stacks_arch.h"

#define NO_CALL (-1)

struct other_thread {
	pid_t tid;
	int schedstat_fd, syscall_fd;
	uint64_t cpu_ns, ready_ns;  /* so far: on a processor; ready to run, but without one */
	uint64_t turns;		    /* how often it got a processor */
	bool waited;		    /* at the last look */
	int call;		    /* the system call that it waits in, or NO_CALL */
	struct registers registers; /* of a waiting thread two are known */
};

enum thread_look {
	THREAD_GONE,
	THREAD_SAME,   /* it has waited since the last look, and has not run */
	THREAD_WAITS,  /* call and registers are new */
	THREAD_RUNS,   /* or is ready to */
	THREAD_HIDDEN, /* no right to look */
};

/* Its times are those of now. Return: 0, or -errno. */
int thread_open(struct other_thread *thread, pid_t pid, pid_t tid);
void thread_close(struct other_thread *thread);

enum thread_look thread_look(struct other_thread *thread);

/* Has a thread that waited not run since thread_look()? Then the copy of its stack is sound. */
bool thread_still_waits(struct other_thread *thread);

/*
 * Does the system call in which the thread waits continue by itself after a stop? Then the thread may be
 * stopped to read its registers: code without optimization needs its frame pointer.
 */
bool thread_may_be_stopped(const struct other_thread *thread);

/*
 * Stop a thread that runs, or one that may be stopped. Return: 0, and its registers; then thread_go_on() must
 * follow at once. -errno: it was not stopped (-EPERM: it may not be; -EBUSY: another tracer has it; -ESRCH:
 * it is gone; -EAGAIN: it did not stop in time, and thread_go_on_late() will resume it).
 */
int thread_stop(struct other_thread *thread);
void thread_go_on(const struct other_thread *thread);

/* Resume the threads that stopped too late. */
void thread_go_on_late(void);

/* The letter of /proc/PID/stat: 'R', 'S', 'T'; 0: it is gone. */
char thread_letter(pid_t pid, pid_t tid);
