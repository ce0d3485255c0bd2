/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A disk that is full from now on: fill FILE. work is called 1000 times, then FILE takes all the room that is left, then
 * work is called 300000 times and each of 200 threads calls it once, for which a log needs more room.
 * It prints "work 301200" whatever happens. The report must show at most that many calls of work, and say what was lost.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_long nr;

__attribute__((noinline)) static void work(void)
{
	atomic_fetch_add(&nr, 1);
}

static void *thread(void *argument)
{
	work();
	return argument;
}

static void take_all_room(const char *path)
{
	static char buffer[65536];
	int fd = open(path, O_WRONLY | O_CREAT, 0600);
	size_t size = sizeof(buffer);

	while (fd >= 0 && size > 0)
		if (write(fd, buffer, size) <= 0)
			size /= 2;
}

int main(int argc, char **argv)
{
	for (int i = 0; i < 1000; i++)
		work();
	take_all_room(argc > 1 ? argv[1] : "fill");
	for (int i = 0; i < 300000; i++)
		work();
	for (int i = 0; i < 200; i++) {
		pthread_t id;

		if (pthread_create(&id, NULL, thread, NULL) == 0)
			pthread_join(id, NULL);
	}
	printf("work %ld\n", atomic_load(&nr));
	return 0;
}
