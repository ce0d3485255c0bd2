/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A timer prints the progress, so that one long step is shown too. Its handler only writes the text
 * that is complete; progress_set() changes the other one.
 */
#include "analyzer/base/progress.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define FIRST_SECONDS	1
#define NEXT_US		200000
#define ERASE		"\r\033[K"

static char texts[2][100];
static volatile sig_atomic_t shown_text;	/* the one that is complete */
static volatile sig_atomic_t is_shown;
static int is_on;

static void show(int number)
{
	const char *text = texts[shown_text];
	int saved_errno = errno;

	if (write(STDERR_FILENO, text, strlen(text)) > 0)
		is_shown = 1;
	errno = saved_errno;
}

static void set_timer(time_t seconds, suseconds_t next_us)
{
	struct itimerval timer = { .it_interval = { 0, next_us }, .it_value = { seconds, 0 } };

	setitimer(ITIMER_REAL, &timer, NULL);
}

void progress_begin(void)
{
	struct sigaction action = { .sa_handler = show, .sa_flags = SA_RESTART };

	if (!isatty(STDERR_FILENO) || sigaction(SIGALRM, &action, NULL) < 0)
		return;
	is_on = 1;
	set_timer(FIRST_SECONDS, NEXT_US);
}

void progress_set(const char *format, ...)
{
	char *text = texts[!shown_text];
	va_list arguments;
	int length;

	if (!is_on)
		return;
	va_start(arguments, format);
	length = sprintf(text, ERASE "insideme-report: ");
	vsnprintf(text + length, sizeof(texts[0]) - (size_t)length, format, arguments);
	va_end(arguments);
	for (char *p = text + sizeof(ERASE) - 1; *p; p++)	/* names may contain any bytes */
		if (*p < ' ' || *p > '~')
			*p = '?';
	shown_text = !shown_text;
}

void progress_clear(void)
{
	if (is_shown && write(STDERR_FILENO, ERASE, strlen(ERASE)) > 0)
		is_shown = 0;
}

void progress_end(void)
{
	if (!is_on)
		return;
	set_timer(0, 0);
	signal(SIGALRM, SIG_IGN);
	is_on = 0;
	progress_clear();
}
