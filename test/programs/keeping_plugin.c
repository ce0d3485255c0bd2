/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plugin of late_heap.c. */
#include <stdlib.h>

void plugin_keep(void);
void plugin_free(void **blocks);
void plugin_run(void **blocks);

static void *volatile kept;

__attribute__((noinline)) void plugin_keep(void)
{
	for (int i = 0; i < 5; i++)
		kept = malloc(100);
}

__attribute__((noinline)) void plugin_free(void **blocks)
{
	for (int i = 0; i < 40; i++)
		free(blocks[i]);
}

void plugin_run(void **blocks)
{
	plugin_keep();
	plugin_free(blocks);
}
