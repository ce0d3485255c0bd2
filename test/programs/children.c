/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Children of every kind: children KIND. What was open at a fork is open in both, so it counts in each
 * process. The report must show:
 *   quiet    20 children that end at once: 21 processes in 1 log; main 21 calls, quiet 21, spawn 40
 *   deep     200 children that end at once, each forked 1000 calls deep: main 201, descend 201000, spawn 400
 *   line     a child of a child, 5 deep, without a call: 6 processes in 1 log; main 6, line 6
 *   tree     39 children, 3 of each process, 3 deep: 40 processes; main 40, grow 115, work 390
 *   returns  a child that goes back through 3 open calls, by fork: main, up_1, up_2, up_3 2 each, work 20, no
 *            repair
 *   again    the same by _Fork
 *   raw      the same by a system call, which nobody sees: main, up_1, up_2, up_3 1 each, work 20, 4 unknown
 *            exits
 *   clone    on a stack of its own: on_stack 1, work 10, main 1
 *   vfork    a child that calls and then execs in a call: 1 process of ours and /bin/true, work 20, exec_true
 *            1
 *   first    a child whose vfork child makes calls before it does: 2 processes, main 2, work 10, lost calls
 *   threads  4 threads fork 5 each: 21 processes; main 1, in_thread 24, spawn_worker 40, work 200
 *   spawn    posix_spawn, system, popen: 4 processes, work 10
 *   chain    10 images after each other, each after an exec that fails: 10 logs of 1 process, work 100
 *   daemon   2 processes, both with their ends; main 2, work 10
 *   double   a daemon by two forks: 3 processes in 2 logs; main 3, work 10
 *   exit     ends by the system call of a thread, with status 6: main 1, work 10
 *   late     what the recorder has to say must not be written to a file that got descriptor 2
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile long sink;
static char **arguments;

__attribute__((noinline)) static void work(void)
{
	sink++;
}

static inline __attribute__((always_inline, no_instrument_function)) void work_times(int times)
{
	for (int i = 0; i < times; i++)
		work();
}

__attribute__((no_instrument_function)) static int status_of(pid_t child)
{
	int status = -1;

	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

__attribute__((noinline)) static int spawn(int status)
{
	pid_t child = fork();

	if (child == 0)
		_exit(status);
	return status_of(child);
}

__attribute__((noinline)) static int quiet(void)
{
	int sum = 0;

	for (int i = 1; i <= 20; i++)
		sum += spawn(i);
	return sum != 210;
}

__attribute__((noinline)) static int descend(int left)
{
	int sum = 0;

	if (left > 1)
		return descend(left - 1);
	for (int i = 0; i < 200; i++)
		sum += spawn(1);
	return sum;
}

__attribute__((noinline)) static int deep(void)
{
	return descend(1000) != 200;
}

__attribute__((noinline)) static int line(void)
{
	for (int depth = 0; depth < 5; depth++) {
		pid_t child = fork();

		if (child == 0)
			continue;
		if (depth == 0)
			return status_of(child) != 5;
		_exit(status_of(child));
	}
	_exit(5);
}

__attribute__((noinline)) static int grow(int depth)
{
	pid_t children[3];
	int bad = 0;

	for (int i = 0; i < 3; i++) {
		children[i] = fork();
		if (children[i] == 0) {
			work_times(10);
			_exit(depth > 1 ? grow(depth - 1) : 0);
		}
	}
	for (int i = 0; i < 3; i++)
		bad |= status_of(children[i]);
	return bad;
}

static int tree(void)
{
	return grow(3);
}

/* ---- a child that returns ---- */

enum way { BY_FORK, BY_INNER_FORK, BY_SYSTEM_CALL };

__attribute__((noinline)) static int up_3(enum way way)
{
	pid_t child = way == BY_FORK ? fork() : way == BY_INNER_FORK ? _Fork() :
		      (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	work_times(10);
	return child ? status_of(child) : 0;
}

__attribute__((noinline)) static int up_2(enum way way)
{
	int result = up_3(way);

	sink++;
	return result;
}

__attribute__((noinline)) static int up_1(enum way way)
{
	int result = up_2(way);

	sink++;
	return result;
}

__attribute__((no_instrument_function)) static int returns(void)
{
	return up_1(BY_FORK);
}

__attribute__((no_instrument_function)) static int again(void)
{
	return up_1(BY_INNER_FORK);
}

__attribute__((no_instrument_function)) static int raw(void)
{
	return up_1(BY_SYSTEM_CALL);
}

/* ---- others ---- */

static int on_stack(void *unused)
{
	work_times(10);
	return 4;
}

static int clone_child(void)
{
	static char stack[65536] __attribute__((aligned(64)));
	pid_t child = clone(on_stack, stack + sizeof(stack), SIGCHLD, NULL);

	return status_of(child) != 4;
}

__attribute__((noinline)) static void exec_true(void)
{
	execl("/bin/true", "true", (char *)NULL);
	sink++;
}

static int vfork_child(void)
{
	pid_t child = vfork();

	if (child == 0) {
		work_times(10);
		exec_true();
		_exit(127);
	}
	work_times(10);
	return status_of(child);
}

static int vfork_first(void)
{
	pid_t child = fork(), grandchild;

	if (child)
		return status_of(child);
	grandchild = vfork();
	if (grandchild == 0) {
		work_times(3);
		_exit(5);
	}
	work_times(10);
	_exit(status_of(grandchild) + 2);
}

__attribute__((noinline)) static int spawn_worker(void)
{
	pid_t child = fork();

	if (child == 0) {
		work_times(10);
		_exit(0);
	}
	return status_of(child);
}

static void *in_thread(void *unused)
{
	for (int i = 0; i < 5; i++)
		spawn_worker();
	return unused;
}

static int threads(void)
{
	pthread_t thread[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, in_thread, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

static int spawn_others(void)
{
	extern char **environ;
	char *again[] = { arguments[0], "chain", "1", NULL }, line_read[64] = "";
	pid_t child = -1;
	FILE *pipe;

	if (posix_spawn(&child, arguments[0], NULL, NULL, again, environ) || status_of(child))
		return 1;
	if (system("exit 3") != 3 << 8)
		return 2;
	pipe = popen("echo from a pipe", "r");
	if (!pipe || !fgets(line_read, sizeof(line_read), pipe) || pclose(pipe))
		return 3;
	fputs(line_read, stdout);
	return 0;
}

static int chain(void)
{
	int left = arguments[1] && arguments[2] ? (int)strtol(arguments[2], NULL, 10) : 10;
	char number[16];

	work_times(10);
	if (left <= 1)
		return 0;
	execl("/nonexistent/program", "program", (char *)NULL);
	snprintf(number, sizeof(number), "%d", left - 1);
	execl(arguments[0], arguments[0], "chain", number, (char *)NULL);
	return 1;
}

static int become_daemon(void)
{
	if (daemon(1, 1))
		return 1;
	work_times(10);
	return 0;
}

static int fork_twice(void)
{
	if (fork())
		_exit(0);
	setsid();
	if (fork())
		_exit(0);
	work_times(10);
	return 0;
}

static int exit_alone(void)
{
	work_times(10);
	return (int)syscall(SYS_exit, 6);
}

/* Strict mode makes the recorder turn itself off, with a line. */
static int late(void)
{
	close(2);
	if (open("late.txt", O_WRONLY | O_CREAT | O_TRUNC, 0600) != 2)
		return 1;
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0))
		return 2;
	syscall(SYS_exit, write(1, "late\n", 5) != 5);
	return 3;
}

static const struct {
	const char *name;
	int (*run)(void);
} kinds[] = {
	{ "quiet", quiet },	  { "deep", deep },
	{ "line", line },	  { "tree", tree },
	{ "returns", returns },	  { "again", again },
	{ "raw", raw },		  { "clone", clone_child },
	{ "vfork", vfork_child }, { "first", vfork_first },
	{ "threads", threads },	  { "spawn", spawn_others },
	{ "chain", chain },	  { "daemon", become_daemon },
	{ "double", fork_twice }, { "exit", exit_alone },
	{ "late", late },
};

int main(int argc, char **argv)
{
	arguments = argv;
	for (size_t i = 0; argc > 1 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(argv[1], kinds[i].name))
			return kinds[i].run();
	return 64;
}
