/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Signal handlers that do not come back: leaving KIND. Every call of work() is counted by the program; it prints "KIND N", N such
 * calls, which the report must show, and ends with 0.
 *   leaves    10 kHz of signals; the handler calls work and jumps out of the calls that it interrupts (siglongjmp), 2000 times, with
 *             malloc and free between jumps
 *   handlers  100 children end by _exit in a signal handler, up to 10 ms after their begin, that interrupts calls, malloc or fork; N is 0
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define QUIET __attribute__((no_instrument_function))

static volatile long sink;
static long nr_work;

__attribute__((noinline)) static void work(void)
{
	sink++;
}

__attribute__((noinline)) static void within(void)
{
	sink++;
}

/* leaves: may_jump is set where the program may be left anywhere, so not in malloc */
static sigjmp_buf back;
static volatile int may_jump;
static volatile long nr_jumps;

QUIET static void each_100_us(void (*handle)(int))
{
	struct sigaction action = { .sa_handler = handle };
	struct itimerval often = { { 0, 100 }, { 0, 100 } };

	if (sigaction(SIGALRM, &action, NULL) || setitimer(ITIMER_REAL, &often, NULL))
		abort();
}

QUIET static void leave(int number)
{
	nr_work++;
	work();
	if (!may_jump)
		return;
	may_jump = 0;
	nr_jumps++;
	siglongjmp(back, 1);
}

QUIET static int leaves(void)
{
	each_100_us(leave);
	while (nr_jumps < 2000) {
		char *volatile block = malloc(100 + (size_t)nr_jumps);

		free(block);
		if (!sigsetjmp(back, 1)) {
			may_jump = 1;
			for (;;)
				within();
		}
	}
	signal(SIGALRM, SIG_IGN);
	return 0;
}

QUIET static void end_here(int number)
{
	_exit(6);
}

QUIET static int handlers(void)
{
	for (int i = 0; i < 100; i++) {
		pid_t child = fork();
		int status;

		if (child == 0) {
			struct itimerval once = { { 0, 0 }, { 0, 1 + i * 100 } };

			signal(SIGALRM, end_here);
			setitimer(ITIMER_REAL, &once, NULL);
			for (;;) {
				char *volatile block = malloc(100);
				pid_t grandchild = fork();

				within();
				if (grandchild == 0)
					syscall(SYS_exit_group, 0);	/* nobody counts them */
				if (grandchild > 0)
					waitpid(grandchild, NULL, 0);
				free(block);
			}
		}
		if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 6)
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";
	int wrong = !strcmp(kind, "leaves") ? leaves() : !strcmp(kind, "handlers") ? handlers() : 2;

	printf("%s %ld\n", kind, nr_work);
	return wrong;
}
