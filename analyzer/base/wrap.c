/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where lines of text end. */
#include "analyzer/base/wrap.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* Is it an argument, and not the next word about what the program does? */
static bool is_argument(const char *word)
{
	return !isalpha((unsigned char)*word) || memchr(word, '/', strcspn(word, " \n"));
}

/* Bytes of the command that begins here; 0: none does. */
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
	size_t end = 0, columns = 0, whole = 0, i;

	for (i = 0; text[i] && text[i] != '\n' && (columns <= width || !end); i++) {
		if (i >= whole)
			whole = i + command_length(text + i);
		if (text[i] == ' ' && i && i >= whole && (columns <= width || !end))
			end = i;
		columns += ((unsigned char)text[i] & 0xc0) != 0x80;
	}
	return columns <= width || !end ? i : end;
}
