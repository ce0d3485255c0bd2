/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For line events: memory known by line, loops known by count, threads, a child, a jump, a kill. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (1l << 20)

static jmp_buf back;
static int jumps = 1;

static void memory(void)
{
	char *block = mmap(NULL, 8 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); /* map */
	memset(block, 1, 4 * MIB); /* touch */
	munmap(block, 8 * MIB); /* unmap */
	sleep(0);
}

static int loop(int nr)
{
	int sum = 0;

	for (int i = 0; i < nr; i++)
		sum += i; /* body */
	return sum;
}

static void *thread(void *argument)
{
	loop(1000);
	return argument;
}

static int down(int depth)
{
	if (!depth && jumps)
		longjmp(back, 1);
	if (!depth)
		return 0;
	return down(depth - 1) + 1; /* deeper */
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	pthread_t threads[4];

	if (!strcmp(what, "memory"))
		for (int i = 0; i < 3; i++)
			memory(); /* thrice */
	for (int i = 0; !strcmp(what, "threads") && i < 4; i++)
		pthread_create(&threads[i], NULL, thread, NULL);
	for (int i = 0; !strcmp(what, "threads") && i < 4; i++)
		pthread_join(threads[i], NULL);
	if (!strcmp(what, "fork") && !fork())
		_exit(loop(10) != 45);
	else
		wait(NULL);
	if (!strcmp(what, "jump") && !setjmp(back))
		down(5);
	if (!strcmp(what, "kill") && loop(100))
		kill(getpid(), SIGKILL);
	return 0;
}
