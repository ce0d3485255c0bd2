/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * counted: functions that are too short to time, called in every way that hooks come in: inlined, tail calls,
 * recursion, alloca, longjmp out of them, from threads, around forks. The report must show the same calls by
 * timing exact and by auto.
 *
 * counted threads: in four threads at once. forks: in children that end by exit(), _exit(), SIGKILL and exec.
 * vforks: in children of vfork that end by _exit() and exec. killed: prints how often add() was called so far
 * and dies by SIGKILL. refused: first has the kernel refuse to make memory executable; status 1 where it
 * cannot. sealed, filtered: the same by a filter of system calls that the library sees, or does not see. off:
 * with recording switched off in between, where insideme.h is there. often: ten times as many calls.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#if __has_include(<insideme.h>)
#include <insideme.h>
#else
#define insideme_disable() 0
#define insideme_enable() 0
#endif

#define ROUNDS	30000
#define NOINLINE __attribute__((noinline))

static volatile long sink;
static jmp_buf out;

NOINLINE static long add(long a, long b)
{
	return a + b;
}

static inline long twice(long a)
{
	return add(a, a) + 1;
}

NOINLINE static long deep(long n)
{
	return n <= 0 ? 0 : deep(n - 1) + 1;
}

NOINLINE static long by_tail(long n)
{
	if (n % 2)
		return add(n, 1);
	return deep(n % 5);
}

NOINLINE static long with_alloca(long n)
{
	volatile char *bytes = alloca((size_t)(n % 300 + 16));

	bytes[0] = 1;
	return add(n, bytes[0]);
}

NOINLINE static void leaves(long n)
{
	if (n % 8 == 7)
		longjmp(out, 1);
	sink += n;
}

NOINLINE static long jumps(void)
{
	volatile long i = 0;
	long caught = 0;

	if (setjmp(out))
		caught++;
	while (i < ROUNDS)
		leaves(i++);
	return caught;
}

NOINLINE static long work(long rounds)
{
	long sum = 0;

	for (long i = 0; i < rounds; i++)
		sum += twice(i) + deep(i % 7) + by_tail(i) + with_alloca(i);
	return sum;
}

static void *run_thread(void *argument)
{
	for (int i = 0; i < 5; i++)
		sink += work(ROUNDS / 4);
	return NULL;
}

static void run_threads(void)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, run_thread, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

static void run_forks(void)
{
	for (int i = 0; i < 6; i++) {
		pid_t child;

		sink += work(ROUNDS);
		child = fork();
		if (child == 0) {
			for (int j = 0; j < 100; j++)
				sink += add(j, j);	/* before anything that has a hook of its own */
			if (i == 3)
				sink += work(ROUNDS);
			if (i == 4)
				kill(getpid(), SIGKILL);
			if (i == 5)
				execl("/bin/true", "true", NULL);
			if (i % 2)
				_exit(0);
			return;
		}
		waitpid(child, NULL, 0);
	}
}

static void run_vforks(void)
{
	for (int i = 0; i < 4; i++) {
		sink += work(ROUNDS);
		if (vfork() == 0) {
			for (int j = 0; j < 100; j++)
				sink += add(j, j);
			if (i % 2)
				execl("/bin/true", "true", NULL);
			_exit(0);
		}
	}
	sink += work(ROUNDS);
	while (wait(NULL) > 0)	/* a program whose parent has ended does not find its run */
		;
}

/* mprotect() fails with EPERM from now on. By a raw system call the library does not see that. */
static int filter_calls(int is_raw)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };
	long failed;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -1;
	if (!is_raw)
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	__asm__ volatile("syscall" : "=a"(failed)
			 : "a"(SYS_seccomp), "D"(SECCOMP_SET_MODE_FILTER), "S"(0), "d"(&program)
			 : "rcx", "r11", "memory");
	return (int)failed;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (strcmp(what, "refused") == 0 && prctl(65 /* PR_SET_MDWE */, 1, 0, 0, 0) != 0)
		return 1;
	if ((strcmp(what, "filtered") == 0 || strcmp(what, "sealed") == 0) &&
	    filter_calls(strcmp(what, "sealed") != 0) != 0)
		return 1;
	if (strcmp(what, "threads") == 0) {
		run_threads();
	} else if (strcmp(what, "forks") == 0) {
		run_forks();
	} else if (strcmp(what, "vforks") == 0) {
		run_vforks();
	} else if (strcmp(what, "often") == 0) {
		sink += work(10 * ROUNDS);
	} else if (strcmp(what, "killed") == 0) {
		for (long i = 0; i < 1000000; i++)
			sink += add(i, i);
		printf("1000000\n");
		fflush(stdout);
		kill(getpid(), SIGKILL);
	} else if (strcmp(what, "off") == 0) {
		for (int i = 0; i < 20; i++) {
			sink += work(ROUNDS);
			insideme_disable();
			sink += work(i);
			insideme_enable();
		}
		insideme_disable();
		sink += work(ROUNDS);
	} else {
		sink += work(ROUNDS) + jumps() + work(ROUNDS);
	}
	return 0;
}
