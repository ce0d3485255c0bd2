/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text on a terminal: what it can show, the pager, curves of bars, and line breaks. */
#include "analyzer/base/terminal.h"

#include <ctype.h>
#include <langinfo.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyzer/base/error.h"
#include "analyzer/base/utf8.h"

#define NR_BARS 8
/* Lowest first. */
static const char *const bars[NR_BARS] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
static const char ascii_bars[] = "_.-:=+*#";

void terminal_init(struct terminal *terminal, FILE *out)
{
	const char *columns = getenv("COLUMNS"), *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	bool is_terminal = isatty(fileno(out));
	const char *lines = getenv("LINES");
	bool is_able = is_terminal && term && strcmp(term, "dumb") != 0;
	struct winsize size = { 0 };

	if (is_terminal)
		ioctl(fileno(out), TIOCGWINSZ, &size);
	terminal->width = columns ? strtoul(columns, NULL, 10) : 0;
	if (!terminal->width)
		terminal->width = size.ws_col ? size.ws_col : 100;
	terminal->height = is_able && lines ? strtoul(lines, NULL, 10) : 0;
	if (!terminal->height && is_able)
		terminal->height = size.ws_row;
	terminal->utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	terminal->colour = is_able && !(no_color && no_color[0]);
}

/* Write an ASCII replacement for the character of @bytes at @p. Return: the end of @out */
static char *to_ascii(const char *p, size_t bytes, char *out)
{
	static const char *const others[][2] = { { "…", "..." }, { "≈", "~" }, { "≤", "<" } };

	for (int i = 0; i < NR_BARS; i++)
		if (bytes == strlen(bars[i]) && memcmp(p, bars[i], bytes) == 0)
			return stpncpy(out, &ascii_bars[i], 1);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (bytes == strlen(others[i][0]) && memcmp(p, others[i][0], bytes) == 0)
			return stpcpy(out, others[i][1]);
	return stpcpy(out, "?");
}

char *terminal_text(const struct terminal *terminal, const char *text)
{
	char *clean = xcalloc(strlen(text) + 1, 3), *out = clean;

	while (*text) {
		const struct utf8_character first = utf8_first(text);

		if (!first.is_shown)
			*out++ = '?';
		else if (first.bytes > 1 && !terminal->utf8)
			out = to_ascii(text, first.bytes, out);
		else
			out = mempcpy(out, text, first.bytes);
		text += first.bytes;
	}
	return clean;
}

#define NOT_FOUND 127	/* exit status of the shell when there is no such command */

/* Return: NULL if no pager is wanted */
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

/* Return: whether the pager was found */
static bool show_by(const char *command, const char *text, size_t bytes)
{
	const char *preload = getenv("LD_PRELOAD");
	FILE *pager;
	int status;

	if (preload && strstr(preload, "libinsideme"))
		/* or the pager would record a run, which would be the newest one */
		unsetenv("LD_PRELOAD");
	setenv("LESS", "FRX", 0);
	fflush(stdout);
	pager = popen(command, "we");
	if (!pager)
		return false;
	signal(SIGPIPE, SIG_IGN);	/* the user may quit before the end */
	signal(SIGINT, SIG_IGN);	/* belongs to the pager, which stops a search */
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

void sparkline_init(struct sparkline *line, size_t nr_steps)
{
	line->nr_steps = nr_steps;
	line->steps = xcalloc(nr_steps, sizeof(*line->steps));
	for (size_t i = 0; i < nr_steps; i++)
		line->steps[i] = NAN;
}

void sparkline_release(struct sparkline *line)
{
	free(line->steps);
}

void sparkline_add(struct sparkline *line, double at, double number)
{
	double place = at * (double)line->nr_steps;
	size_t step;

	if (!(place >= 0) || !isfinite(number))
		return;
	step = place < (double)line->nr_steps ? (size_t)place : line->nr_steps - 1;
	if (!(line->steps[step] >= number))
		line->steps[step] = number;
}

static const char *bar(double number, double top)
{
	int height = top > 0 ? (int)(number / top * NR_BARS) : 0;

	if (isnan(number))
		return " ";
	return bars[height < 0 ? 0 : height < NR_BARS ? height : NR_BARS - 1];
}

char *sparkline_text(const struct sparkline *line, double top)
{
	char *text = xcalloc(line->nr_steps + 1, strlen(bars[0])), *end = text;
	double number = NAN;

	for (size_t i = 0; i < line->nr_steps; i++) {
		if (!isnan(line->steps[i]))
			number = line->steps[i];
		end = stpcpy(end, bar(number, top));
	}
	return text;
}

/* Tell an argument from the next word of a sentence about the program. */
static bool is_argument(const char *word)
{
	return !isalpha((unsigned char)*word) || memchr(word, '/', strcspn(word, " \n"));
}

/* Length of the command to be pasted that begins here; 0 if there is none. */
static size_t command_length(const char *text)
{
	static const char *const names[] = { "insideme-report ", "insideme-run " };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t at = strlen(names[i]);

		if (strncmp(text, names[i], at) != 0 || !is_argument(text + at))
			continue;
		while (text[at] && text[at] != '\n' && !(strchr(",;: ", text[at]) && text[at + 1] == ' '))
			at++;
		return at;
	}
	return 0;
}

size_t wrap_length(const char *text, size_t width)
{
	size_t end = 0, columns = 0, whole = 0, i = 0;

	while (text[i] && text[i] != '\n' && (columns <= width || !end)) {
		if (i >= whole)
			whole = i + command_length(text + i);
		if (text[i] == ' ' && i && i >= whole && (columns <= width || !end))
			end = i;
		columns += utf8_first(text + i).columns;
		i += utf8_first(text + i).bytes;
	}
	return columns <= width || !end ? i : end;
}
