/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text without libc. */
#include "preload/common/base/text.h"

#include <errno.h>

#include "preload/common/base/compiler.h"

void text_init(struct text *text, char *buffer, size_t bytes)
{
	text->at = buffer;
	text->end = buffer + bytes - 1;
	text->cut = false;
	*buffer = '\0';
}

void text_add_char(struct text *text, char c)
{
	if (text->at == text->end) {
		text->cut = true;
		return;
	}
	*text->at++ = c;
	*text->at = '\0';
}

void text_add(struct text *text, const char *string)
{
	while (*string)
		text_add_char(text, *string++);
}

void text_add_bytes(struct text *text, const char *bytes, size_t length)
{
	while (length--)
		text_add_char(text, *bytes++);
}

void text_add_padded(struct text *text, uint64_t number, int digits)
{
	char reversed[20];
	int length = 0;

	do {
		reversed[length++] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	for (; digits > length; digits--)
		text_add_char(text, '0');
	while (length)
		text_add_char(text, reversed[--length]);
}

void text_add_number(struct text *text, uint64_t number)
{
	text_add_padded(text, number, 1);
}

void text_add_hex(struct text *text, uint64_t number)
{
	int shift = number ? 60 - __builtin_clzll(number) / 4 * 4 : 0;

	for (; shift >= 0; shift -= 4)
		text_add_char(text, "0123456789abcdef"[number >> shift & 15]);
}

void text_add_error(struct text *text, int error)
{
	static const struct {
		int error;
		const char *meaning;
	} meanings[] = {
		{ EPERM, "Operation not permitted" },	{ ENOENT, "No such file or directory" },
		{ EIO, "Input/output error" },		{ EAGAIN, "Resource temporarily unavailable" },
		{ ENOMEM, "Cannot allocate memory" },	{ EACCES, "Permission denied" },
		{ EEXIST, "File exists" },		{ ENOTDIR, "Not a directory" },
		{ EINVAL, "Invalid argument" },		{ EMFILE, "Too many open files" },
		{ EFBIG, "File too large" },		{ ENOSPC, "No space left on device" },
		{ EROFS, "Read-only file system" },	{ ENAMETOOLONG, "File name too long" },
		{ ENOSYS, "Function not implemented" }, { ELOOP, "Too many levels of symbolic links" },
		{ EOPNOTSUPP, "Operation not supported" }, { EDQUOT, "Disk quota exceeded" },
		{ ENODEV, "No such device" },
	};

	if (error < 0)
		error = -error;
	for (size_t i = 0; i < ARRAY_SIZE(meanings); i++) {
		if (meanings[i].error == error) {
			text_add(text, meanings[i].meaning);
			return;
		}
	}
	text_add(text, "error ");
	text_add_number(text, (uint64_t)error);
}

size_t text_length(const char *string)
{
	const char *end = string;

	while (*end)
		end++;
	return (size_t)(end - string);
}

bool text_equal(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

bool text_begins(const char *string, const char *prefix)
{
	while (*prefix && *string == *prefix) {
		string++;
		prefix++;
	}
	return !*prefix;
}

const char *text_find(const char *string, char c)
{
	for (; *string; string++)
		if (*string == c)
			return string;
	return NULL;
}

const char *text_base_name(const char *path)
{
	const char *base = path;

	for (; *path; path++)
		if (*path == '/' && path[1])
			base = path + 1;
	return base;
}

void text_copy(char *to, size_t bytes, const char *from)
{
	struct text text;

	text_init(&text, to, bytes);
	text_add(&text, from);
}

void text_drop_end(char *string, const char *end)
{
	const size_t length = text_length(string), end_length = text_length(end);

	if (length >= end_length && text_equal(string + length - end_length, end))
		string[length - end_length] = '\0';
}

int text_read_u64(const char **at, uint64_t *number)
{
	const char *p = *at;
	uint64_t value = 0;

	while (*p == ' ' || *p == '\t')
		p++;
	if (*p < '0' || *p > '9')
		return -EINVAL;
	for (; *p >= '0' && *p <= '9'; p++) {
		if (__builtin_mul_overflow(value, 10u, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value))
			return -ERANGE;
	}
	*at = p;
	*number = value;
	return 0;
}

struct suffix {
	const char *name;
	uint64_t factor;
};

/* Parse a number with at most nine decimals and one of the suffixes, exactly. */
static int parse_scaled(const char *string, const struct suffix *suffixes, uint64_t *result)
{
	uint64_t whole, fraction = 0, divisor = 1;

	if (text_read_u64(&string, &whole) < 0)
		return -EINVAL;
	if (*string == '.') {
		for (string++; *string >= '0' && *string <= '9'; string++) {
			if (divisor == 1000000000u)
				return -EINVAL;
			fraction = fraction * 10 + (uint64_t)(*string - '0');
			divisor *= 10;
		}
	}
	for (; suffixes->name; suffixes++) {
		unsigned __int128 value;

		if (!text_equal(string, suffixes->name))
			continue;
		value = (unsigned __int128)whole * suffixes->factor +
			(unsigned __int128)fraction * suffixes->factor / divisor;
		if (value > INT64_MAX)
			return -EINVAL;
		*result = (uint64_t)value;
		return 0;
	}
	return -EINVAL;
}

int text_parse_size(const char *string, uint64_t *bytes)
{
	static const struct suffix suffixes[] = {
		{ "", 1 },	     { "K", 1ull << 10 },   { "M", 1ull << 20 },   { "G", 1ull << 30 },
		{ "T", 1ull << 40 }, { "KiB", 1ull << 10 }, { "MiB", 1ull << 20 }, { "GiB", 1ull << 30 },
		{ "k", 1ull << 10 }, { "m", 1ull << 20 },   { "g", 1ull << 30 },   { NULL, 0 },
	};

	return parse_scaled(string, suffixes, bytes);
}

int text_parse_time(const char *string, uint64_t *ns)
{
	static const struct suffix suffixes[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 }, { NULL, 0 },
	};

	if (text_equal(string, "0")) {
		*ns = 0;
		return 0;
	}
	return parse_scaled(string, suffixes, ns);
}

int text_parse_switch(const char *string, bool *on)
{
	static const char *const words[] = { "off", "on", "0", "1", "no", "yes" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (text_equal(string, words[i])) {
			*on = i % 2;
			return 0;
		}
	}
	return -EINVAL;
}
