/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of C++'s and gfortran's name mangling that names without parameters need. */
#include "preload/objects/symbol_names.h"

#include "preload/common/base/text.h"

#define ANONYMOUS "_GLOBAL__N_"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A length and as many bytes. Return: their number, 0: it is none. @at moves to the first of them. */
static size_t read_length(const char **at)
{
	size_t length = 0;

	while (is_digit(**at) && length < 4096)
		length = length * 10 + (size_t)(*(*at)++ - '0');
	for (size_t i = 0; i < length; i++)
		if (!(*at)[i])
			return 0;
	return length;
}

/* Past template arguments, which end with an E of their own. NULL: something else is in them. */
static const char *skip_arguments(const char *at)
{
	int depth = 0;

	for (;;) {
		size_t length;

		if (is_digit(*at)) {
			length = read_length(&at);
			if (!length)
				return NULL;
			at += length;
			continue;
		}
		if (*at == 'L') {	/* a literal: its digits are no length */
			while (*at && *at != 'E')
				at++;
		} else if (*at == 'I' || *at == 'N' || *at == 'J' || *at == 'F' || *at == 'X') {
			depth++;
		} else if (*at == 'E' && --depth == 0) {
			return at + 1;
		}
		if (!*at++)
			return NULL;
	}
}

/* One part of a name: an identifier, std, a constructor or destructor. Return: what follows, NULL: it is something else. */
static const char *read_part(const char *at, struct text *name, const char *last, size_t last_bytes)
{
	if (at[0] == 'S' && at[1] == 't') {
		text_add(name, "std");
		return at + 2;
	}
	if ((at[0] == 'C' || at[0] == 'D') && is_digit(at[1]) && last) {
		text_add(name, at[0] == 'D' ? "~" : "");
		text_add_bytes(name, last, last_bytes);
		return at + 2;
	}
	return NULL;
}

static bool read_parts(const char *at, struct text *name, bool is_nested)
{
	const char *last = NULL;
	size_t last_bytes = 0;

	for (bool is_first = true;; is_first = false) {
		if (!is_first)
			text_add(name, "::");
		if (is_digit(*at)) {
			last_bytes = read_length(&at);
			last = at;
			if (!last_bytes)
				return false;
			if (text_begins(at, ANONYMOUS))
				text_add(name, "(anonymous namespace)");
			else
				text_add_bytes(name, at, last_bytes);
			at += last_bytes;
		} else {
			at = read_part(at, name, last, last_bytes);
		}
		if (at && *at == 'I')
			at = skip_arguments(at);
		if (!at)
			return false;
		if (is_nested ? *at == 'E' : last != NULL)
			return !name->cut;
	}
}

static bool plain_cpp(const char *at, struct text *name)
{
	bool is_nested = *at == 'N';

	if (is_nested)
		for (at++; *at == 'K' || *at == 'V' || *at == 'R' || *at == 'O'; at++)
			;
	else if (*at == 'L')
		at++;
	return read_parts(at, name, is_nested);
}

static bool plain_fortran(const char *symbol, struct text *name)
{
	for (const char *at = symbol + 2; *at; at++) {
		if (!text_begins(at, "_MOD_"))
			continue;
		text_add_bytes(name, symbol + 2, (size_t)(at - symbol) - 2);
		text_add(name, "::");
		text_add(name, at + 5);
		return !name->cut;
	}
	return false;
}

bool symbol_plain_name(const char *symbol, char *name, size_t bytes)
{
	struct text text;
	size_t length = text_length(symbol);

	text_init(&text, name, bytes);
	if (text_begins(symbol, "_Z"))
		return plain_cpp(symbol + 2, &text);
	if (text_begins(symbol, "__") && plain_fortran(symbol, &text))
		return true;
	if (length < 2 || symbol[length - 1] != '_')
		return false;
	text_init(&text, name, bytes);
	text_add_bytes(&text, symbol, length - 1);	/* a Fortran procedure outside of modules */
	return !text.cut;
}
