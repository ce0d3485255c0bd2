/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program without hooks (built so) that has 100 blocks of 1000 bytes, and a thread that allocates all the
 * time, when it loads a plugin with hooks: plugin_keep keeps 5 blocks of 100 bytes, plugin_free frees 40 of
 * the 100. Then it has 3 more of 500. The report must show 5 blocks and 500 bytes of plugin_keep not freed, 3
 * and 1500 outside of functions, and 40 unknown frees.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *blocks[100], *volatile more[3];
static volatile int is_over;

static void *allocate(void *argument)
{
	while (!is_over) {
		void *volatile block = malloc(64);

		block = realloc(block, 128);
		free(block);
	}
	return argument;
}

int main(int argc, char **argv)
{
	void *plugin = NULL;
	pthread_t thread;

	for (int i = 0; i < 100; i++)
		blocks[i] = malloc(1000);
	pthread_create(&thread, NULL, allocate, NULL);
	if (argc > 1)
		plugin = dlopen(argv[1], RTLD_NOW);
	if (!plugin)
		return 1;
	((void (*)(void **))dlsym(plugin, "plugin_run"))(blocks);
	for (int i = 0; i < 3; i++)
		more[i] = malloc(500);
	is_over = 1;
	pthread_join(thread, NULL);
	puts("done");
	return 0;
}
