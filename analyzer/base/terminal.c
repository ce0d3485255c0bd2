/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the place that text goes to can show. */
#include "analyzer/base/terminal.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "analyzer/base/error.h"
#include "analyzer/base/utf8.h"

const char *const terminal_bars[TERMINAL_BARS] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
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

/* Write what stands for the character at @p in ASCII. Return: where the next one begins */
static const char *to_ascii(const char *p, char **out)
{
	size_t length = 1;

	while (((unsigned char)p[length] & 0xc0) == 0x80)
		length++;
	for (int i = 0; i < TERMINAL_BARS; i++) {
		if (length == strlen(terminal_bars[i]) && memcmp(p, terminal_bars[i], length) == 0) {
			*(*out)++ = ascii_bars[i];
			return p + length;
		}
	}
	*out = stpcpy(*out, length == 3 && memcmp(p, "…", 3) == 0 ? "..." : "?");
	return p + length;
}

char *terminal_text(const struct terminal *terminal, const char *text)
{
	char *clean = xcalloc(strlen(text) + 1, 3), *out = clean;

	while (*text) {
		size_t length = utf8_length(text);

		if (!length || utf8_is_control(text)) {
			*out++ = '?';
			text += length ? length : 1;
		} else if (length > 1 && !terminal->utf8) {
			text = to_ascii(text, &out);
		} else {
			out = mempcpy(out, text, length);
			text += length;
		}
	}
	return clean;
}
