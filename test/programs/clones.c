/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * clones shared|own COUNT: raw clone() threads that call hooks, 4 at a time, COUNT times: with the TLS block
 * of their creator, or each with its own. The report must show 40 * COUNT calls of step(), 4 * COUNT of
 * run(), COUNT of vanish(), in which every fourth ends its task; 10 * COUNT of main_step(), which runs
 * meanwhile.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STACK_BYTES 65536
#define TLS_BYTES 65536
#define AT_ONCE 4

static volatile long sink[AT_ONCE + 1];

__attribute__((noinline)) static void step(long i)
{
	sink[i]++;
}

__attribute__((noinline)) static void main_step(void)
{
	sink[AT_ONCE]++;
}

__attribute__((noinline)) static void vanish(void)
{
	syscall(SYS_exit, 0);
}

static int run(void *number)
{
	for (int n = 0; n < 10; n++)
		step((long)number);
	if ((long)number == 0)
		vanish();
	return 0;
}

/* errno is not looked at: it may be another task's. */
__attribute__((no_instrument_function)) static void wait_for_end(int *tid)
{
	int now;

	while ((now = __atomic_load_n(tid, __ATOMIC_ACQUIRE)) != 0)
		syscall(SYS_futex, tid, FUTEX_WAIT, now, NULL, NULL, 0);
}

int main(int argc, char **argv)
{
	int own = argc > 2 && strcmp(argv[1], "own") == 0, count = argc > 2 ? atoi(argv[2]) : 0;
	int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
		    CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID | (own ? CLONE_SETTLS : 0);
	char *memory = mmap(NULL, AT_ONCE * (STACK_BYTES + TLS_BYTES), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static int tids[AT_ONCE];

	for (int i = 0; i < count; i++) {
		for (long k = 0; k < AT_ONCE; k++) {
			char *stack = memory + k * (STACK_BYTES + TLS_BYTES),
			     *tls = stack + STACK_BYTES + TLS_BYTES / 2;

			memset(tls - TLS_BYTES / 2, 0, TLS_BYTES);
			/* where x86-64 looks for the block's address */
			((void **)tls)[0] = ((void **)tls)[2] = tls;
			tids[k] = 1;
			if (clone(run, stack + STACK_BYTES, flags, (void *)k, &tids[k], tls, &tids[k]) < 0) {
				perror("clone");
				return 1;
			}
		}
		for (int n = 0; n < 10; n++)
			main_step();
		for (int k = 0; k < AT_ONCE; k++)
			wait_for_end(&tids[k]);
	}
	puts("done");
	return 0;
}
