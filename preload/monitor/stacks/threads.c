/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "preload/monitor/stacks/threads.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <linux/elf.h>
#include <time.h>
#include <unistd.h>

#include "preload/common/base/clock.h"
#include "preload/common/base/compiler.h"
#include "preload/common/base/proc_text.h"

#define SPIN_NS 50000 /* most stops come in half of that */
#define PAUSE_NS 100000
#define STOP_MOST_NS 1000000000u /* longest wait for a stop; later ones are left to thread_go_on_late() */

/* A stop that was asked for has an event beside its signal. */
#define EVENT_OF(status) ((status) >> 16)

static int open_file(pid_t pid, pid_t tid, const char *name)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", (int)pid, (int)tid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

void thread_close(struct other_thread *thread)
{
	close(thread->schedstat_fd);
	close(thread->syscall_fd);
}

static long read_text(int fd, char *text, size_t bytes)
{
	ssize_t nr = pread(fd, text, bytes - 1, 0);

	text[nr > 0 ? nr : 0] = '\0';
	return nr < 0 ? -errno : nr;
}

static bool read_turns(struct other_thread *thread, uint64_t *turns)
{
	char text[96];
	const char *at = text;

	return read_text(thread->schedstat_fd, text, sizeof(text)) > 0 && scan_number(&at, &thread->cpu_ns) &&
	       scan_number(&at, &thread->ready_ns) && scan_number(&at, turns);
}

int thread_open(struct other_thread *thread, pid_t pid, pid_t tid)
{
	*thread = (struct other_thread){ .tid = tid, .call = NO_CALL };
	thread->schedstat_fd = open_file(pid, tid, "schedstat");
	if (thread->schedstat_fd < 0)
		return thread->schedstat_fd;
	thread->syscall_fd = open_file(pid, tid, "syscall");
	if (thread->syscall_fd >= 0 && read_turns(thread, &thread->turns))
		return 0;
	close(thread->schedstat_fd);
	if (thread->syscall_fd < 0)
		return thread->syscall_fd;
	close(thread->syscall_fd);
	return -ESRCH;
}

/* "running", "-1 STACK CODE", or "CALL six arguments STACK CODE". */
static enum thread_look parse_call(struct other_thread *thread, const char *text)
{
	char *at;
	uint64_t numbers[8];
	int nr = 0;

	if (text[0] == 'r')
		return THREAD_RUNS;
	thread->call = (int)strtol(text, &at, 10);
	while (nr < 8 && *at == ' ')
		numbers[nr++] = strtoull(at + 1, &at, 16);
	if (nr < 2)
		return THREAD_GONE;
	thread->registers = (struct registers){ .known = 1ull << REGISTER_SP | 1ull << REGISTER_IP };
	thread->registers.at[REGISTER_SP] = numbers[nr - 2];
	thread->registers.at[REGISTER_IP] = numbers[nr - 1];
	return THREAD_WAITS;
}

enum thread_look thread_look(struct other_thread *thread)
{
	enum thread_look look;
	uint64_t turns;
	char text[256];
	long nr;

	if (!read_turns(thread, &turns))
		return THREAD_GONE;
	if (thread->waited && turns == thread->turns)
		return THREAD_SAME;
	thread->turns = turns;
	nr = read_text(thread->syscall_fd, text, sizeof(text));
	if (nr == -EPERM || nr == -EACCES)
		return THREAD_HIDDEN;
	look = nr > 0 ? parse_call(thread, text) : THREAD_GONE;
	thread->waited = look == THREAD_WAITS;
	return look;
}

bool thread_still_waits(struct other_thread *thread)
{
	uint64_t turns;

	thread->waited = read_turns(thread, &turns) && turns == thread->turns;
	return thread->waited;
}

/* ---- stops ---- */

/* Reads and writes of sockets are not among them: with a timeout they would return EINTR. */
bool thread_may_be_stopped(const struct other_thread *thread)
{
	static const int calls[] = { SYS_futex,	  SYS_clock_nanosleep, SYS_nanosleep, SYS_ppoll,
				     SYS_pselect6, SYS_wait4,	       SYS_waitid,    SYS_rt_sigsuspend,
#ifdef SYS_poll
				     SYS_poll,	  SYS_select,	       SYS_pause
#endif
	};

	for (size_t i = 0; thread->waited && i < ARRAY_SIZE(calls); i++)
		if (thread->call == calls[i])
			return true;
	return false;
}

static pid_t wait_for_stop(pid_t tid, int *status)
{
	const uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);
	const struct timespec pause = { 0, PAUSE_NS };

	for (;;) {
		pid_t found = waitpid(tid, status, __WALL | WNOHANG);
		uint64_t passed_ns = clock_ns(CLOCK_MONOTONIC) - begin_ns;

		if (found || passed_ns > STOP_MOST_NS)
			return found;
		if (passed_ns > SPIN_NS)
			nanosleep(&pause, NULL);
	}
}

/* A signal that came at the same time belongs to the thread. */
static int signal_of(int status)
{
	return EVENT_OF(status) ? 0 : WSTOPSIG(status);
}

static void let_go(pid_t tid, int status)
{
	ptrace(PTRACE_DETACH, tid, 0, signal_of(status));
}

struct status {
	char text[4096];
};

static void read_status(pid_t tid, struct status *status)
{
	char path[40];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read_text(fd, status->text, sizeof(status->text)) <= 0)
		status->text[0] = '\0';
	if (fd >= 0)
		close(fd);
}

/* @name: "\nNAME:". Return: 0 if there is none. */
static uint64_t status_number(const struct status *status, const char *name, int base)
{
	const char *line = strstr(status->text, name);

	return line ? strtoull(line + strlen(name), NULL, base) : 0;
}

/* May a signal be the reason why a system call ended? */
static bool has_signal(pid_t tid)
{
	struct status status;
	uint64_t pending;

	read_status(tid, &status);
	pending = status_number(&status, "\nSigPnd:", 16) | status_number(&status, "\nShdPnd:", 16);
	return (pending & ~status_number(&status, "\nSigBlk:", 16)) != 0;
}

static bool has_tracer(pid_t tid)
{
	struct status status;

	read_status(tid, &status);
	return status_number(&status, "\nTracerPid:", 10) != 0;
}

static int last_status; /* of the thread that is stopped now */

int thread_stop(struct other_thread *thread)
{
	struct user_regs_struct user;
	struct iovec iovec = { &user, sizeof(user) };
	pid_t found;

	if (ptrace(PTRACE_SEIZE, thread->tid, 0, 0) < 0) {
		const int error = errno;

		return error == EPERM && has_tracer(thread->tid) ? -EBUSY : -error;
	}
	ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0);
	found = wait_for_stop(thread->tid, &last_status);
	if (found == 0)
		return -EAGAIN;
	if (found < 0 || !WIFSTOPPED(last_status))
		return -ESRCH;
	if (ptrace(PTRACE_GETREGSET, thread->tid, NT_PRSTATUS, &iovec) < 0) {
		let_go(thread->tid, last_status);
		return -ESRCH;
	}
	registers_take(&thread->registers, &user);
	if (!signal_of(last_status) && registers_ended_call(&user) && !has_signal(thread->tid)) {
		registers_begin_call_again(&user);
		ptrace(PTRACE_SETREGSET, thread->tid, NT_PRSTATUS, &iovec);
	}
	return 0;
}

void thread_go_on(const struct other_thread *thread)
{
	let_go(thread->tid, last_status);
}

void thread_go_on_late(void)
{
	int status;
	pid_t tid;

	while ((tid = waitpid(-1, &status, __WALL | WNOHANG)) > 0)
		if (WIFSTOPPED(status))
			let_go(tid, status);
}

char thread_letter(pid_t pid, pid_t tid)
{
	char text[512], *name_end;
	int fd = open_file(pid, tid, "stat");

	if (fd < 0 || read_text(fd, text, sizeof(text)) <= 0)
		text[0] = '\0';
	if (fd >= 0)
		close(fd);
	name_end = strrchr(text, ')');
	return name_end && name_end[1] ? name_end[2] : 0;
}
