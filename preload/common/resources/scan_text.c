/* SPDX-License-Identifier: GPL-3.0-or-later */
/* "key: value" lines of /proc. */
#include "preload/common/resources/scan_text.h"

#include "preload/common/base/text.h"

void scan_keys(const char *text, const struct scan_key *keys, int nr_keys)
{
	int first = 0;

	while (*text && first < nr_keys) {
		const char *end = text;

		for (int i = first; i < nr_keys; i++) {
			if (keys[i].key[0] != *text || !text_begins(text, keys[i].key))
				continue;
			end = text + text_length(keys[i].key);
			scan_number(&end, keys[i].value);
			first = i + 1;
			break;
		}
		while (*end && *end != '\n')
			end++;
		text = *end ? end + 1 : end;
	}
}
