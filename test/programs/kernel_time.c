/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions whose CPU time in the kernel is known: compute() has none, touch() is mostly page faults, ask()
 * is mostly system calls. Each takes half a second. Prints CPU time in user space and in the kernel, in ns.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PART_NS 500000000
#define BYTES (16 << 20)
#define WITHOUT_HOOKS __attribute__((no_instrument_function))

WITHOUT_HOOKS static long used_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return used.tv_sec * 1000000000 + used.tv_nsec;
}

__attribute__((noinline)) static void compute(long end_ns)
{
	while (used_ns() < end_ns)
		for (volatile int i = 0; i < 1000000; i++)
			;
}

__attribute__((noinline)) static void touch(long end_ns)
{
	while (used_ns() < end_ns) {
		char *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		madvise(memory, BYTES, MADV_NOHUGEPAGE);
		for (int i = 0; i < BYTES; i += 4096)
			((volatile char *)memory)[i] = 1;
		munmap(memory, BYTES);
	}
}

__attribute__((noinline)) static void ask(long end_ns)
{
	char name[4096];

	while (used_ns() < end_ns)
		for (int i = 0; i < 1000; i++)
			syscall(SYS_getcwd, name, sizeof(name));
}

WITHOUT_HOOKS static long ns_of(struct timeval time)
{
	return time.tv_sec * 1000000000 + time.tv_usec * 1000;
}

int main(void)
{
	struct rusage used;

	compute(used_ns() + PART_NS);
	touch(used_ns() + PART_NS);
	ask(used_ns() + PART_NS);
	getrusage(RUSAGE_SELF, &used);
	printf("%ld %ld\n", ns_of(used.ru_utime), ns_of(used.ru_stime));
	return 0;
}
