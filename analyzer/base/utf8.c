/* SPDX-License-Identifier: GPL-3.0-or-later */
/* UTF-8 as Unicode defines it: shortest forms, no surrogates. */
#include "analyzer/base/utf8.h"

#include <string.h>

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

bool utf8_is_control(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	if (p[0] < ' ' || p[0] == 0x7f)
		return true;
	if (p[0] == 0xc2)
		return p[1] < 0xa0;
	if (p[0] != 0xe2)
		return false;
	return (p[1] == 0x80 && p[2] >= 0xaa && p[2] <= 0xae) ||	/* embeddings and overrides */
		(p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9);		/* isolates */
}

void utf8_clean(char *clean, const char *text)
{
	while (*text) {
		size_t length = utf8_length(text);

		clean = length ? mempcpy(clean, text, length) : mempcpy(clean, "\xef\xbf\xbd", 3);
		text += length ? length : 1;
	}
	*clean = '\0';
}

void utf8_drop_cut(char *text)
{
	size_t bytes = strlen(text), at = bytes;
	unsigned char first;

	while (at && bytes - at < 3 && ((unsigned char)text[at - 1] & 0xc0) == 0x80)
		at--;
	if (!at)
		return;
	first = (unsigned char)text[--at];
	if (bytes - at < (first < 0xc0 ? 1u : first < 0xe0 ? 2u : first < 0xf0 ? 3u : first < 0xf5 ? 4u : 1u))
		text[at] = '\0';
}
