/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Input and output of known size: writes 8 MiB to FILE in 2048 calls, reads them back in 1024. The report's
 * process columns must show at least so many calls and bytes, and less than 100 calls and 1 MiB more.
 * io FILE beside: writes 512 MiB while another thread computes; what was written must be put()'s alone.
 * io FILE after: the same, but the other thread has ended by then.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static char buffer[8192];

__attribute__((noinline)) static int put(int fd)
{
	for (int i = 0; i < 2048; i++)
		if (write(fd, buffer, 4096) != 4096)
			return 1;
	return 0;
}

__attribute__((noinline)) static int get(int fd)
{
	for (int i = 0; i < 1024; i++)
		if (pread(fd, buffer, 8192, (off_t)i * 8192) != 8192)
			return 1;
	return 0;
}

static volatile int has_ended;

__attribute__((noinline)) static void *compute(void *unused)
{
	while (!has_ended)
		;
	return unused;
}

static int put_often(int fd)
{
	int failed = 0;

	for (int i = 0; i < 64 && !failed; i++)
		failed = lseek(fd, 0, SEEK_SET) != 0 || put(fd);
	return failed;
}

static void nap(int ms)
{
	while (ms-- > 0)
		usleep(1000);
}

static int put_beside(int fd, int is_after)
{
	pthread_t thread;
	int failed = pthread_create(&thread, NULL, compute, NULL);

	nap(300);		/* both threads have been read by then */
	if (!is_after)
		failed = failed || put_often(fd);
	has_ended = 1;
	pthread_join(thread, NULL);
	return is_after ? failed || put_often(fd) : failed;
}

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;

	if (fd >= 0 && argc > 2)
		return put_beside(fd, argv[2][0] == 'a');
	nap(50);
	if (fd < 0 || put(fd) || get(fd)) {
		perror("io");
		return 1;
	}
	nap(50);
	return 0;
}
