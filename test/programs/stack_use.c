/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much stack each of these uses: prints "NAME BYTES", for each in a thread of its own, on a stack that
 * was filled before: a call with hooks, on a path that is known or new, malloc and free, pthread_create,
 * dlopen and dlclose, fork in the parent and with a call in the child, exit. The difference to the same
 * without the library is what the library uses. Must be linked with -Wl,-z,now: ld.so needs 3 KiB of stack to
 * find a function at its first call.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define QUIET __attribute__((no_instrument_function))
#define STACK_BYTES (256u << 10)
#define FILLED 0xa5

static volatile long sink;
static unsigned char *stack;
static size_t *in_child;	/* shared with children */

__attribute__((noinline)) static void work(void)
{
	sink++;
}

__attribute__((noinline)) static void other_path(void)
{
	work();
}

QUIET static size_t used_bytes(void)
{
	size_t free_bytes = 0;

	while (free_bytes < STACK_BYTES && stack[free_bytes] == FILLED)
		free_bytes++;
	return STACK_BYTES - free_bytes;
}

QUIET static void nothing(void)
{
}

QUIET static void call_other(void)
{
	other_path();
}

QUIET static void allocate(void)
{
	char *volatile block = malloc(1000);

	free(block);
}

QUIET static void allocate_large(void)
{
	char *volatile block = malloc(10 << 20);

	block = realloc(block, 20 << 20);
	free(block);
}

QUIET static void load(void)
{
	void *object = dlopen("libm.so.6", RTLD_NOW);

	if (!object || dlclose(object))
		abort();
}

QUIET static void fork_and_call(void)
{
	pid_t child = fork();

	if (child == 0) {
		work();
		*in_child = used_bytes();
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

QUIET static void *body_of_nothing(void *unused)
{
	return unused;
}

QUIET static void create_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, body_of_nothing, NULL))
		abort();
	pthread_join(thread, NULL);
}

QUIET static void leave(void)
{
	exit(0);
}

QUIET static void *run(void *call)
{
	((void (*)(void))call)();
	return NULL;
}

/* By what is shared or private memory. */
QUIET static size_t depth_of(void (*call)(void))
{
	pthread_attr_t attributes;
	pthread_t thread;

	memset(stack, FILLED, STACK_BYTES);
	pthread_attr_init(&attributes);
	if (pthread_attr_setstack(&attributes, stack, STACK_BYTES) ||
	    pthread_create(&thread, &attributes, run, (void *)call))
		abort();
	pthread_join(thread, NULL);
	return used_bytes();
}

QUIET static void *map(size_t bytes, int flags)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | flags, -1, 0);

	if (memory == MAP_FAILED)
		abort();
	return memory;
}

QUIET int main(void)
{
	static const struct { const char *name; void (*call)(void);
	} all[] = {
		{ "first_call", work },	      { "call", work },	      { "new_path", call_other },
		{ "first_malloc", allocate }, { "malloc", allocate }, { "large_malloc", allocate_large },
		{ "thread", create_thread },  { "load", load },	      { "fork", fork_and_call },
	};
	size_t least;

	stack = map(STACK_BYTES, MAP_PRIVATE);
	in_child = map(sizeof(*in_child), MAP_SHARED);
	least = depth_of(nothing);
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		printf("%s %zu\n", all[i].name, depth_of(all[i].call) - least);
	printf("call_in_child %zu\n", *in_child - least);

	/* The child never returns to look, so the parent looks at the child's stack. */
	stack = map(STACK_BYTES, MAP_SHARED);
	fflush(stdout);
	if (fork() == 0)
		depth_of(leave);
	wait(NULL);
	printf("exit %zu\n", used_bytes() - least);
	return 0;
}
