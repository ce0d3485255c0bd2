/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two plugins that are loaded and unloaded in turn, 5 rounds, as a rule at the same address. plugins
 * DIRECTORY. The report must show first_work 500 and second_work 1000 calls, run 5 times of each plugin, main
 * 1.
 */
#include <dlfcn.h>
#include <stdio.h>

static volatile long sum;

__attribute__((noinline)) static int use_plugin(const char *directory, const char *name)
{
	void (*run)(volatile long *);
	char path[4096];
	void *plugin;

	snprintf(path, sizeof(path), "%s/%s_plugin.so", directory, name);
	plugin = dlopen(path, RTLD_NOW);
	run = plugin ? (void (*)(volatile long *))dlsym(plugin, "run") : NULL;
	if (!run) {
		fprintf(stderr, "plugins: %s\n", dlerror());
		return 1;
	}
	run(&sum);
	return dlclose(plugin);
}

int main(int argc, char **argv)
{
	const char *directory = argc > 1 ? argv[1] : ".";

	for (int i = 0; i < 5; i++)
		if (use_plugin(directory, "first") || use_plugin(directory, "second"))
			return 1;
	printf("sum %ld\n", sum);
	return 0;
}
