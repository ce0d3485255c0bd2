/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program without hooks (built so) that loads plugins with hooks: host KIND DIRECTORY. Of
 *   local      the report must show run 1 and first_work 100
 *   runpath    the same: found by name alone, in the directory that the program's own RUNPATH says
 *   deepbind   nothing: libc's empty hooks are nearer; and says so, also of
 *   unloaded   a plugin that is closed again
 *   namespace  nothing, and says so: the plugin has another libc
 *   jumps      400 rounds of load, run and unload, from three of four of which a handler may jump at any
 *              moment, on a slow
 *              machine before anything runs; prints how often each function began, and the report must show
 *              as many
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

static volatile long sum, per_plugin[2];
static volatile sig_atomic_t armed;
static sigjmp_buf back;

static int use(void *plugin, int is_closed)
{
	void (*run)(volatile long *) = plugin ? (void (*)(volatile long *))dlsym(plugin, "run") : NULL;

	if (!run) {
		fprintf(stderr, "host: %s\n", dlerror());
		return 1;
	}
	run(&sum);
	return is_closed ? dlclose(plugin) : 0;
}

static void jump(int signal)
{
	if (armed)
		siglongjmp(back, 1);
}

static int jump_about(const char *directory)
{
	struct itimerval timer = { { 0, 300 }, { 0, 300 } }, off = { { 0, 0 }, { 0, 0 } };
	char path[4096];

	signal(SIGALRM, jump);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (volatile int i = 0; i < 400; i++) {
		void *volatile plugin;
		volatile long before;

		snprintf(path, sizeof(path), "%s/%s_plugin.so", directory, i % 2 ? "second" : "first");
		plugin = dlopen(path, RTLD_NOW);
		before = sum;
		if (!sigsetjmp(back, 1)) {
			armed = i % 8 < 6;
			use(plugin, 0);
		}
		armed = 0;
		per_plugin[i % 2] += sum - before;
		dlclose(plugin);
	}
	setitimer(ITIMER_REAL, &off, NULL);
	printf("first %ld second %ld\n", per_plugin[0], per_plugin[1]);
	return 0;
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "", *directory = argc > 2 ? argv[2] : ".";
	char path[4096];

	snprintf(path, sizeof(path), "%s/first_plugin.so", directory);
	if (!strcmp(kind, "local"))
		return use(dlopen(path, RTLD_NOW | RTLD_LOCAL), 1);
	if (!strcmp(kind, "runpath"))
		return use(dlopen("first_plugin.so", RTLD_NOW), 1);
	if (!strcmp(kind, "deepbind"))
		return use(dlopen(path, RTLD_NOW | RTLD_DEEPBIND), 0);
	if (!strcmp(kind, "unloaded"))
		return use(dlopen(path, RTLD_NOW | RTLD_DEEPBIND), 1);
	if (!strcmp(kind, "namespace"))
		return use(dlmopen(LM_ID_NEWLM, path, RTLD_NOW), 0);
	return strcmp(kind, "jumps") ? 2 : jump_about(directory);
}
