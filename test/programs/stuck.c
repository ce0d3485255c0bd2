/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ends while another thread is inside dl_iterate_phdr() and never comes out, so holds the lock on the list of
 * objects: stuck exit|_exit|_Exit|quick_exit. Must end with 3 all the same. The report must show main and
 * look once.
 */
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int is_in;

__attribute__((no_instrument_function)) static int stay(struct dl_phdr_info *info, size_t bytes,
							void *context)
{
	is_in = 1;
	for (;;)
		pause();
	return 0;
}

static void *look(void *argument)
{
	dl_iterate_phdr(stay, NULL);
	return argument;
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";
	pthread_t thread;

	if (pthread_create(&thread, NULL, look, NULL))
		return 1;
	while (!is_in)
		usleep(100);
	if (!strcmp(kind, "_exit"))
		_exit(3);
	if (!strcmp(kind, "_Exit"))
		_Exit(3);
	if (!strcmp(kind, "quick_exit"))
		quick_exit(3);
	exit(3);
}
