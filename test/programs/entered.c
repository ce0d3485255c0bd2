/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * entered HOW [N]: forked children that make no call and no allocation, so that they have no log, however
 * long they live. Each works: it touches 16 MiB for each fork that lies between it and the program, writes
 * 3,000,000 bytes, which are thrown away, reads nothing, and then uses 100 ms of CPU time. Then it says "PID
 * CPU_NS", and waits for the end of the input. All of that by bare system calls: a wait that the library sees
 * would open a log. With -DWAITS it sees them. insideme-run has rows of each that tell so.
 *   beside N  N children
 *   nested N  a child, whose child has a child, and so on, N in all
 *   late      a child that works, waits for a byte on its input, allocates, uses 100 ms more, says so, and
 *             waits
 *   left      a child of a child that has ended; the program waits too
 *   after     a child whose parent, the program, ends; it has a child 1.2 s later, both say so and wait
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SILENT __attribute__((no_instrument_function, noinline))
#define MIB (1u << 20)
#define WRITTEN 3000000
#define CPU_NS 100000000u
#ifdef WAITS
#define READ read
#define WRITE write
#else
#define READ(...) syscall(SYS_read, __VA_ARGS__)
#define WRITE(...) syscall(SYS_write, __VA_ARGS__)
#endif

static int depth;

static SILENT uint64_t cpu_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Samples are taken by CPU time: one follows whatever was touched before this. */
static SILENT void use_cpu(void)
{
	uint64_t end = cpu_ns() + CPU_NS;

	while (cpu_ns() < end)
		;
}

static SILENT void say(void)
{
	char line[64];
	int length = snprintf(line, sizeof(line), "%d %lu\n", (int)getpid(), cpu_ns());

	if (WRITE(1, line, (size_t)length) != length)
		_exit(1);
}

static SILENT void touch(size_t bytes)
{
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		_exit(1);
	memset(memory, 1, bytes);
}

static SILENT void work(void)
{
	static char buffer[WRITTEN / 100];
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

	touch((size_t)depth * 16 * MIB);
	for (int i = 0; i < 100; i++)
		if (WRITE(nowhere, buffer, sizeof(buffer)) < 0)
			_exit(1);
	use_cpu();
	say();
}

static SILENT void wait_for_end(void)
{
	char byte;

	while (READ(0, &byte, 1) > 0)
		;
}

static SILENT pid_t fork_child(void)
{
	pid_t pid = fork();

	if (pid == 0)
		depth++;
	return pid;
}

static SILENT int beside(int nr)
{
	for (int i = 0; i < nr; i++) {
		if (fork_child())
			continue;
		work();
		wait_for_end();
		_exit(7);
	}
	while (wait(NULL) > 0)
		;
	return 0;
}

static SILENT int nested(int nr)
{
	if (nr == 0)
		return 0;
	if (fork_child() == 0) {
		work();
		_exit(nested(nr - 1));
	}
	wait_for_end();
	wait(NULL);
	return 7;
}

static SILENT int late(void)
{
	void *volatile allocated;
	char byte;

	if (fork_child() == 0) {
		work();
		if (READ(0, &byte, 1) != 1)
			_exit(1);
		allocated = malloc(100);
		free(allocated);
		use_cpu();
		say();
		wait_for_end();
		_exit(7);
	}
	wait(NULL);
	return 0;
}

static SILENT int left(void)
{
	if (fork_child() == 0) {
		if (fork_child() == 0) {
			work();
			wait_for_end();
			_exit(7);
		}
		_exit(0);
	}
	wait(NULL);
	wait_for_end();
	return 0;
}

static SILENT int after(void)
{
	const struct timespec pause = { 1, 200000000 };
	int began[2];
	char byte = 0;

	if (pipe(began) < 0)
		return 1;
	if (fork_child())
		return read(began[0], &byte, 1) == 1 ? 0 : 1;
	if (write(began[1], &byte, 1) != 1)
		_exit(1);
	nanosleep(&pause, NULL);
	if (fork_child() == 0) {
		work();
		wait_for_end();
		_exit(7);
	}
	work();
	wait_for_end();
	wait(NULL);
	_exit(7);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	int nr = argc > 2 ? atoi(argv[2]) : 1;

	if (!strcmp(how, "beside"))
		return beside(nr);
	if (!strcmp(how, "nested"))
		return nested(nr);
	if (!strcmp(how, "late"))
		return late();
	if (!strcmp(how, "left"))
		return left();
	return strcmp(how, "after") ? 2 : after();
}
