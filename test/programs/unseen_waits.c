/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Waits that no wrapper sees: wait_raw makes a system call by itself, for 1 s; meanwhile a thread reads an
 * empty pipe so, in read_raw, until main writes to it.
 */
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int ends[2];

__attribute__((noinline)) static void *read_raw(void *argument)
{
	char byte;

	syscall(SYS_read, ends[0], &byte, 1);
	return argument;
}

__attribute__((noinline)) static void wait_raw(void)
{
	syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &(struct timespec){ 1, 0 }, NULL);
}

int main(void)
{
	pthread_t reader;

	if (pipe(ends) || pthread_create(&reader, NULL, read_raw, NULL))
		return 1;
	wait_raw();
	if (write(ends[1], "x", 1) != 1)
		return 1;
	pthread_join(reader, NULL);
	return 0;
}
