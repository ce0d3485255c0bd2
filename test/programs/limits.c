/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Limits that a program sets itself, after 1000 calls of work: limits KIND
 *   files    no file of more than 100,000 bytes, less than the log wants
 *   locked   without the right to lock more than 8 MiB, it locks all its memory and what comes
 *   space    64 MiB of address space, of which it takes 40 MiB at once
 *   space64, prspace: the same by setrlimit64() and prlimit()
 *   child    a forked child gets that address space before its first call, and another after it
 *   locking  so does one that locks all its memory
 * then 3000000 calls. The report must show work 3001000 times; the program must print "fine" and end with 0.
 */
#define _GNU_SOURCE
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile long sink;

__attribute__((noinline)) static void work(void)
{
	sink++;
}

__attribute__((no_instrument_function)) static int limit_to(int resource, unsigned long bytes)
{
	struct rlimit limit = { bytes, bytes };

	return setrlimit((__rlimit_resource_t)resource, &limit);
}

__attribute__((no_instrument_function)) static int give_up_rights(void)
{
	struct __user_cap_header_struct version = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3];

	memset(none, 0, sizeof(none));
	return (int)syscall(SYS_capset, &version, none);
}

__attribute__((no_instrument_function)) static int lock(void)
{
	return limit_to(RLIMIT_MEMLOCK, 8ul << 20) || give_up_rights() || mlockall(MCL_CURRENT | MCL_FUTURE);
}

static int take(void)
{
	char *memory = mmap(NULL, 40ul << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED || munmap(memory, 40ul << 20);
}

__attribute__((no_instrument_function)) static int in_child(int (*function)(void))
{
	pid_t child = fork();
	int status;

	if (child == 0)
		_exit(function());
	return waitpid(child, &status, 0) != child || status;
}

__attribute__((no_instrument_function)) static int take_all(void)
{
	const struct rlimit space = { 64ul << 20, 64ul << 20 };
	char *memory;

	if (setrlimit(RLIMIT_AS, &space))
		return 1;
	memory = mmap(NULL, 40ul << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return memory == MAP_FAILED;
}

static int called_take_all(void)
{
	return take_all();
}

__attribute__((no_instrument_function)) static int lock_all(void)
{
	return lock();
}

static int limit(const char *kind)
{
	const struct rlimit64 space64 = { 64ul << 20, 64ul << 20 };
	const struct rlimit space = { 64ul << 20, 64ul << 20 };

	if (!strcmp(kind, "files"))
		return limit_to(RLIMIT_FSIZE, 100000);
	if (!strcmp(kind, "locked"))
		return lock();
	if (!strcmp(kind, "space"))
		return limit_to(RLIMIT_AS, space.rlim_cur) || take();
	if (!strcmp(kind, "space64"))
		return setrlimit64(RLIMIT_AS, &space64) || take();
	if (!strcmp(kind, "prspace"))
		return prlimit(0, RLIMIT_AS, &space, NULL) || take();
	if (!strcmp(kind, "child"))
		return in_child(take_all) || in_child(called_take_all);
	if (!strcmp(kind, "locking"))
		return in_child(lock_all);
	return 1;
}

int main(int argc, char **argv)
{
	for (int i = 0; i < 1000; i++)
		work();
	if (limit(argc > 1 ? argv[1] : "")) {
		perror("limits");
		return 1;
	}
	for (int i = 0; i < 3000000; i++)
		work();
	puts("fine");
	return 0;
}
