/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Forks that are interrupted by handlers which fork too. Each child, made by main's loop or by a handler,
 * calls work twice and exits; the loop makes 400. Prints how many children there were, and how many pages of
 * private memory came with them: work must have twice as many calls, all called by main.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define FORKS 400

static volatile sig_atomic_t handled, is_forking;
static volatile long sink;

__attribute__((noinline)) static void work(void)
{
	sink++;
}

__attribute__((no_instrument_function)) static void in_child(void)
{
	work();
	work();
	_exit(0);
}

/* Not a call itself, so that what its child opens is what main has open. */
__attribute__((no_instrument_function)) static void on_alarm(int number)
{
	pid_t child;

	if (!is_forking)
		return;
	child = fork();
	if (child == 0)
		in_child();
	waitpid(child, NULL, 0);
	handled++;
}

/* Field 6 of /proc/self/statm. */
__attribute__((no_instrument_function)) static long data_pages(void)
{
	FILE *statm = fopen("/proc/self/statm", "r");
	long pages = 0;

	if (!statm || fscanf(statm, "%*d %*d %*d %*d %*d %ld", &pages) != 1)
		return -1;
	fclose(statm);
	return pages;
}

int main(void)
{
	long pages = data_pages();
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	struct itimerval off = { { 0, 0 }, { 0, 0 } };

	pages = data_pages();	/* includes what stdio keeps */
	sigaction(SIGALRM, &action, NULL);
	for (int i = 0; i < FORKS; i++) {
		/* once, at a different time in each round */
		struct itimerval timer = { { 0, 0 }, { 0, 1 + i } };
		pid_t child;

		is_forking = 1;
		setitimer(ITIMER_REAL, &timer, NULL);
		child = fork();
		if (child == 0)
			in_child();
		is_forking = 0;
		setitimer(ITIMER_REAL, &off, NULL);
		while (waitpid(child, NULL, 0) < 0)
			;
	}
	printf("children %d pages %ld\n", FORKS + handled, data_pages() - pages);
	return 0;
}
