/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text on a terminal, through a pager where it does not fit. */
#include "analyzer/base/pager.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "analyzer/base/terminal.h"

#define NOT_FOUND 127	/* by the shell */

/* NULL: none */
static const char *pager_command(void)
{
	const char *command = getenv("INSIDEME_PAGER");

	if (!command)
		command = getenv("PAGER");
	if (!command)
		return "if command -v less >/dev/null; then exec less -FRX; else exec cat; fi";
	return command[0] && strcmp(command, "cat") != 0 ? command : NULL;
}

bool pager_is_wanted(void)
{
	struct terminal terminal;

	terminal_init(&terminal, stdout);
	return terminal.height && pager_command();
}

static size_t count_lines(const char *text, size_t bytes)
{
	const char *end = text + bytes, *newline;
	size_t nr = 0;

	for (; text < end; text = newline + 1, nr++) {
		newline = memchr(text, '\n', (size_t)(end - text));
		if (!newline)
			return nr + 1;
	}
	return nr;
}

/* Return: whether there was a pager */
static bool show_by(const char *command, const char *text, size_t bytes)
{
	const char *preload = getenv("LD_PRELOAD");
	FILE *pager;
	int status;

	if (preload && strstr(preload, "libinsideme"))
		unsetenv("LD_PRELOAD");		/* it would be a run, and the newest */
	setenv("LESS", "FRX", 0);
	fflush(stdout);
	pager = popen(command, "we");
	if (!pager)
		return false;
	signal(SIGPIPE, SIG_IGN);	/* it was left before the end */
	signal(SIGINT, SIG_IGN);	/* is the pager's, which stops a search by it */
	signal(SIGQUIT, SIG_IGN);
	fwrite(text, 1, bytes, pager);
	status = pclose(pager);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	return !(WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND);
}

bool pager_show(const char *text, size_t bytes)
{
	struct terminal terminal;

	terminal_init(&terminal, stdout);
	if (count_lines(text, bytes) >= terminal.height && show_by(pager_command(), text, bytes))
		return true;
	fwrite(text, 1, bytes, stdout);
	return fflush(stdout) == 0 && !ferror(stdout);
}
