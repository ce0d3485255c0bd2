/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Patterns that choose functions, for the recording and the reading side alike: NAME, FILE, MODULE, FILE:NAME, MODULE:NAME,
 * each as it stands or as a glob. What stands before a single colon is a source file or a module; so may be a pattern without
 * one that has a dot or a slash in it. Pure functions without libc.
 */
#ifndef INSIDEME_PATTERN_H
#define INSIDEME_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NEAR_NAME_MAX	63	/* longer names are near nothing */

/* Part of a text, which need not end there. */
struct glob {
	const char *start;
	size_t bytes;			/* 0: none */
};

struct pattern {
	struct glob whole;
	struct glob place;		/* before a single colon */
	struct glob name;		/* behind it; without one the whole */
	bool may_be_place;		/* the name may be a file or a module as well */
};

/* Past a class such as [a-z], [!0-9] or []x] that begins at @glob; @end where it is none. *@has: is @c of it? */
static inline const char *glob_class(const char *glob, const char *end, char c, bool *has)
{
	const char *at = glob + 1, *first;
	bool is_other = at < end && (*at == '!' || *at == '^');

	at += is_other;
	*has = is_other;
	for (first = at; at < end && (*at != ']' || at == first); at++) {
		char low = *at, high = low;

		if (at + 2 < end && at[1] == '-' && at[2] != ']') {
			high = at[2];
			at += 2;
		}
		if ((unsigned char)c >= (unsigned char)low && (unsigned char)c <= (unsigned char)high)
			*has = !is_other;
	}
	return at < end ? at + 1 : end;
}

/* What follows in @glob if its first item is @c, else NULL. A class that does not end is the bracket itself. */
static inline const char *glob_step(const char *glob, const char *end, char c)
{
	bool has;

	if (*glob == '[') {
		const char *next = glob_class(glob, end, c, &has);

		if (next[-1] == ']')
			return has ? next : NULL;
	}
	if (*glob == '\\' && glob + 1 < end)
		glob++;
	else if (*glob == '?')
		return glob + 1;
	return *glob == c ? glob + 1 : NULL;
}

/* Does the glob of *, ?, [...] and \ match the whole of @text? After a mismatch the last * takes one byte more. */
static inline bool glob_matches(const struct glob *glob, const char *text)
{
	const char *at = glob->start, *end = at + glob->bytes, *star = NULL, *resume = NULL, *next;

	while (*text) {
		next = at < end && *at != '*' ? glob_step(at, end, *text) : NULL;
		if (next) {
			at = next;
			text++;
		} else if (at < end && *at == '*') {
			star = at++;
			resume = text;
		} else if (star) {
			at = star + 1;
			text = ++resume;
		} else {
			return false;
		}
	}
	while (at < end && *at == '*')
		at++;
	return at == end;
}

/* As it stands, or as a glob: operator[] is both. NULL matches nothing. */
static inline bool glob_fits(const struct glob *glob, const char *text)
{
	size_t same = 0;

	if (!text)
		return false;
	while (same < glob->bytes && text[same] && text[same] == glob->start[same])
		same++;
	return (same == glob->bytes && !text[same]) || glob_matches(glob, text);
}

/* A path or its last component. */
static inline bool glob_fits_path(const struct glob *glob, const char *path)
{
	const char *base = path;

	for (const char *at = path; at && *at; at++)
		base = *at == '/' ? at + 1 : base;
	return glob_fits(glob, path) || (base != path && glob_fits(glob, base));
}

/* Take a pattern; the text must stay. */
static inline struct pattern pattern_of(const char *text, size_t bytes)
{
	struct pattern pattern = { .whole = { text, bytes }, .name = { text, bytes } };
	size_t colon = 0;

	while (colon < bytes && (text[colon] != ':' || (colon + 1 < bytes && text[colon + 1] == ':')))
		colon += text[colon] == ':' ? 2 : 1;
	if (colon < bytes) {
		pattern.place = (struct glob){ text, colon };
		pattern.name = (struct glob){ text + colon + 1, bytes - colon - 1 };
		return pattern;
	}
	for (size_t i = 0; i < bytes; i++)
		pattern.may_be_place |= text[i] == '.' || text[i] == '/';
	return pattern;
}

/*
 * The next of patterns separated by commas, without the blanks around it; *@list moves behind it. Return: false at the end.
 * One of 0 bytes is none.
 */
static inline bool pattern_next(const char **list, struct glob *item)
{
	const char *end = *list;

	if (!*end)
		return false;
	while (*end && *end != ',')
		end++;
	*item = (struct glob){ *list, (size_t)(end - *list) };
	*list = *end ? end + 1 : end;
	while (item->bytes && *item->start == ' ')
		item->start++, item->bytes--;
	while (item->bytes && item->start[item->bytes - 1] == ' ')
		item->bytes--;
	return true;
}

/* ---- names that were perhaps meant ---- */

static inline bool near_same(char a, char b)
{
	a = a >= 'A' && a <= 'Z' ? (char)(a - 'A' + 'a') : a;
	b = b >= 'A' && b <= 'Z' ? (char)(b - 'A' + 'a') : b;
	return a == b;
}

/* Letters to add, drop, change, or exchange with the next one, until @a is @b; both of at most NEAR_NAME_MAX. */
static inline size_t near_slips(const char *a, size_t length_a, const char *b, size_t length_b)
{
	uint8_t rows[3][NEAR_NAME_MAX + 1];

	for (size_t j = 0; j <= length_b; j++)
		rows[0][j] = (uint8_t)j;
	for (size_t i = 1; i <= length_a; i++) {
		uint8_t *row = rows[i % 3], *above = rows[(i - 1) % 3], *above_that = rows[(i + 1) % 3];

		row[0] = (uint8_t)i;
		for (size_t j = 1; j <= length_b; j++) {
			size_t least = (row[j - 1] < above[j] ? row[j - 1] : above[j]) + 1u;
			size_t changed = above[j - 1] + !near_same(a[i - 1], b[j - 1]);

			least = changed < least ? changed : least;
			if (i > 1 && j > 1 && near_same(a[i - 1], b[j - 2]) && near_same(a[i - 2], b[j - 1]) && above_that[j - 2] + 1u < least)
				least = above_that[j - 2] + 1u;
			row[j] = (uint8_t)least;
		}
	}
	return rows[length_a % 3][length_b];
}

/* Where @word stands in @name, whatever the case; NULL: nowhere. */
static inline const char *near_part(const struct glob *word, const char *name)
{
	for (; *name; name++) {
		size_t same = 0;

		while (same < word->bytes && name[same] && near_same(name[same], word->start[same]))
			same++;
		if (same == word->bytes)
			return name;
	}
	return NULL;
}

/* What of a name is meant by a glob: what stands before the first of its wildcards. */
static inline struct glob near_word(const struct glob *glob)
{
	struct glob word = *glob;
	size_t bytes = 0;

	while (word.bytes && (*word.start == '*' || *word.start == '?'))
		word.start++, word.bytes--;
	while (bytes < word.bytes && word.start[bytes] != '*' && word.start[bytes] != '?' && word.start[bytes] != '[' &&
	       word.start[bytes] != '(')
		bytes++;
	word.bytes = bytes;
	return word;
}

/* How far @name is from @word: 0 it begins so, 1 it holds it, else slips. SIZE_MAX: not near. Scopes may be left out. */
static inline size_t near_distance(const struct glob *word, const char *name)
{
	const char *part = word->bytes > 1 ? near_part(word, name) : NULL;
	size_t most = word->bytes / 3 ? word->bytes / 3 : 1;

	if (part)
		return part != name;
	if (!word->bytes || word->bytes > NEAR_NAME_MAX)
		return SIZE_MAX;
	for (const char *end; *name; name = *end ? end + 2 : end) {
		size_t length = 0, nr;

		while (name[length])
			length++;
		if (length <= word->bytes + most && length + most >= word->bytes && length <= NEAR_NAME_MAX) {
			nr = near_slips(word->start, word->bytes, name, length);
			if (nr <= most && nr < word->bytes)
				return nr;
		}
		for (end = name; *end && !(end[0] == ':' && end[1] == ':'); end++)
			;
	}
	return SIZE_MAX;
}

#endif
