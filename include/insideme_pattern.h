/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Patterns that choose functions, for the recording and the reading side: NAME, FILE, MODULE,
 * FILE:NAME, MODULE:NAME, each a literal or a glob. The part before a single colon is a source file
 * or a module. A pattern without a colon may be one too, if it has a dot or a slash. Pure functions
 * without libc.
 */
#ifndef INSIDEME_PATTERN_H
#define INSIDEME_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NEAR_NAME_MAX	63	/* longer names are not compared */

/* A part of a text, not ended by 0. */
struct glob {
	const char *start;
	size_t bytes;			/* 0: none */
};

struct pattern {
	struct glob whole;
	struct glob place;		/* before a single colon */
	struct glob name;		/* after the colon; without one, all of it */
	bool may_be_place;		/* the name may also be a file or a module */
};

/*
 * Skip a class such as [a-z], [!0-9] or []x] that begins at @glob. *@has: does it contain @c?
 * Return: @end if it is no class.
 */
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

/*
 * The rest of @glob if its first item matches @c, otherwise NULL. A class that does not end is a literal
 * bracket.
 */
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

/*
 * Does the glob of *, ?, [...] and \ match the whole of @text? After a mismatch the last * takes
 * one more byte.
 */
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

/* Match as a literal, or as a glob: operator[] is both. NULL matches nothing. */
static inline bool glob_fits(const struct glob *glob, const char *text)
{
	size_t same = 0;

	if (!text)
		return false;
	while (same < glob->bytes && text[same] && text[same] == glob->start[same])
		same++;
	return (same == glob->bytes && !text[same]) || glob_matches(glob, text);
}

/* Match a path or its last component. */
static inline bool glob_fits_path(const struct glob *glob, const char *path)
{
	const char *base = path;

	for (const char *at = path; at && *at; at++)
		base = *at == '/' ? at + 1 : base;
	return glob_fits(glob, path) || (base != path && glob_fits(glob, base));
}

/* Parse a pattern. The text must stay valid. */
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

/* The end of the bracket that begins at @at; @at if none does: it is never closed, or part of an operator. */
static inline const char *bracket_end(const char *list, const char *at)
{
	static const char word[] = "operator";
	const char *before = at;
	int depth = 0;

	while (before > list && (before[-1] == '<' || before[-1] == '(' || before[-1] == '-'))
		before--;
	for (size_t i = sizeof(word) - 1; i && before > list && before[-1] == word[i - 1]; i--, before--)
		if (i == 1)
			return at;
	for (const char *end = at; *end; end++) {
		depth += *end == '<' || *end == '(';
		depth -= *end == '>' || *end == ')';
		if (!depth)
			return end;
	}
	return at;
}

/*
 * The next of several patterns that commas separate, without the blanks around it; commas between brackets
 * are of names: Grid<double, 5>. *@list moves
 * past it. Return: false at the end. An empty pattern has 0 bytes.
 */
static inline bool pattern_next(const char **list, struct glob *item)
{
	const char *end = *list;

	if (!*end)
		return false;
	for (; *end && *end != ','; end++)
		if (*end == '<' || *end == '(')
			end = bracket_end(*list, end);
	*item = (struct glob){ *list, (size_t)(end - *list) };
	*list = *end ? end + 1 : end;
	while (item->bytes && *item->start == ' ')
		item->start++, item->bytes--;
	while (item->bytes && item->start[item->bytes - 1] == ' ')
		item->bytes--;
	return true;
}

/* ---- names that the user may have meant ---- */

static inline bool near_same(char a, char b)
{
	a = a >= 'A' && a <= 'Z' ? (char)(a - 'A' + 'a') : a;
	b = b >= 'A' && b <= 'Z' ? (char)(b - 'A' + 'a') : b;
	return a == b;
}

/*
 * How many letters must be added, dropped, changed, or exchanged with the next to make @b of @a.
 * Both have at most NEAR_NAME_MAX.
 */
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
			if (i > 1 && j > 1 && near_same(a[i - 1], b[j - 2]) &&
			    near_same(a[i - 2], b[j - 1]) && above_that[j - 2] + 1u < least)
				least = above_that[j - 2] + 1u;
			row[j] = (uint8_t)least;
		}
	}
	return rows[length_a % 3][length_b];
}

/* Find @word in @name, whatever the case. Return: NULL if it is not there */
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

/* The part of a glob before its first wildcard. */
static inline struct glob near_word(const struct glob *glob)
{
	struct glob word = *glob;
	size_t bytes = 0;

	while (word.bytes && (*word.start == '*' || *word.start == '?'))
		word.start++, word.bytes--;
	while (bytes < word.bytes && word.start[bytes] != '*' && word.start[bytes] != '?' &&
	       word.start[bytes] != '[' && word.start[bytes] != '(')
		bytes++;
	word.bytes = bytes;
	return word;
}

/*
 * How far @name is from @word: 0 if it begins with it, 1 if it contains it, otherwise the number of
 * slips. SIZE_MAX: too far. Scopes may be missing.
 */
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
