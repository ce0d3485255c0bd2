/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls that change the process's memory by known amounts, each three times. With INSIDEME_SNAPSHOT=rss:every
 * a report must show of each call of map_and_touch RSS and VMS + 4 MiB, map_only VMS + 8 MiB, touch RSS + 8
 * MiB, unmap both - 12 MiB, nothing and many 0, and round_of_all, which calls the first five, 0. With an
 * argument the same in two threads and a forked child as well, one after the other; "closes": after all
 * descriptors but the first three were closed. "children": nothing alone, before and after 1500 children that
 * call nothing: RSS of this process must be the same.
 */
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (1 << 20)

static char *touched, *reserved;

static char *map(size_t bytes)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void touch_pages(char *place, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += 4096)
		((volatile char *)place)[i] = 1;
}

void map_and_touch(void)
{
	touched = map(4 * MIB);
	madvise(touched, 4 * MIB, MADV_NOHUGEPAGE);
	touch_pages(touched, 4 * MIB);
}

void map_only(void)
{
	reserved = map(8 * MIB);
	madvise(reserved, 8 * MIB, MADV_NOHUGEPAGE);
}

void touch(void)
{
	touch_pages(reserved, 8 * MIB);
}

void unmap(void)
{
	munmap(touched, 4 * MIB);
	munmap(reserved, 8 * MIB);
}

void nothing(void)
{
}

void many(void)
{
	nothing();
}

void round_of_all(void)
{
	map_and_touch();
	map_only();
	touch();
	unmap();
	nothing();
}

static void *work(void *argument)
{
	for (int i = 0; i < 3; i++)
		round_of_all();
	for (int i = 0; i < 1000; i++)
		many();
	return argument;
}

static int beside_children(void)
{
	pid_t child = 0;

	nothing();
	for (int i = 0; i < 1500 && child >= 0; i++) {
		child = fork();
		if (child == 0)
			_exit(0);
		waitpid(child, NULL, 0);
	}
	nothing();
	return child < 0;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	pid_t child;

	if (argc > 1 && strcmp(argv[1], "children") == 0)
		return beside_children();
	if (argc > 1 && strcmp(argv[1], "closes") == 0)
		for (int fd = 3; fd < 1024; fd++)
			close(fd);
	work(NULL);
	if (argc == 1)
		return 0;
	for (int i = 0; i < 2; i++) {
		pthread_create(&thread, NULL, work, NULL);
		pthread_join(thread, NULL);
	}
	child = fork();
	if (child == 0) {
		work(NULL);
		_exit(0);
	}
	return waitpid(child, NULL, 0) != child;
}
