/* SPDX-License-Identifier: GPL-3.0-or-later */
/* UTF-8 as Unicode defines it: shortest forms, no surrogates. Widths are those of wcwidth(). */
#include "analyzer/base/utf8.h"

#include <string.h>
#include <wchar.h>

size_t utf8_length(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t length = p[0] < 0x80   ? 1
			: p[0] < 0xc2 ? 0
			: p[0] < 0xe0 ? 2
			: p[0] < 0xf0 ? 3
			: p[0] < 0xf5 ? 4
				      : 0;

	for (size_t i = 1; i < length; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] >= 0xa0))
		return 0;
	if ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] >= 0x90))
		return 0;
	return length;
}

static bool is_control(wchar_t c)
{
	return c < ' ' || (c >= 0x7f && c < 0xa0) ||
	       (c >= 0x202a && c <= 0x202e) ||		/* embeddings and overrides */
	       (c >= 0x2066 && c <= 0x2069);		/* isolates */
}

struct utf8_character utf8_first(const char *text)
{
	static const unsigned char first_bits[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	size_t length = utf8_length(text);
	wchar_t c = (unsigned char)text[0] & first_bits[length];
	int columns;

	for (size_t i = 1; i < length; i++)
		c = c << 6 | ((unsigned char)text[i] & 0x3f);
	columns = c > '~' ? wcwidth(c) : 1;
	return (struct utf8_character){ length ? length : 1, columns < 0 ? 1 : (size_t)columns,
					length && !is_control(c) };
}

size_t utf8_columns(const char *text)
{
	size_t columns = 0;

	while (*text) {
		struct utf8_character first = utf8_first(text);

		columns += first.columns;
		text += first.bytes;
	}
	return columns;
}

void utf8_drop_cut(char *text)
{
	char *end = text + strlen(text), *last = end;

	while (last > text && end - last < 4 && ((unsigned char)*--last & 0xc0) == 0x80)
		;
	if ((unsigned char)*last >= 0xc2 && (unsigned char)*last < 0xf5 && !utf8_length(last))
		*last = '\0';
}
