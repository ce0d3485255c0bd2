/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of C++'s and gfortran's name mangling that names without parameters need. */
#include "preload/objects/function_names.h"

#include "preload/common/base/text.h"

#define ANONYMOUS "_GLOBAL__N_"
#define NESTING_MAX 16

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/*
 * Read a length that is followed by as many bytes, and move @at to the first of those. Return: the
 * length; 0: there is none.
 */
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

/* Skip "_", "0_", "1A_": the number of a substitution, a parameter or a lambda. Return: NULL if it is none */
static const char *skip_number(const char *at)
{
	while (is_digit(*at) || (*at >= 'A' && *at <= 'Z'))
		at++;
	return *at == '_' ? at + 1 : NULL;
}

static const char *skip_identifier(const char *at)
{
	size_t length = read_length(&at);

	return at + length;
}

static const char *skip_to_end(const char *at);

/* Skip a template argument that is a value, behind its L: a type, and digits, which are not a length. */
static const char *skip_literal(const char *at)
{
	if (*at == 'N')
		at = skip_to_end(at + 1);
	else if (is_digit(*at))
		at = skip_identifier(at);
	while (at && *at && *at != 'E')
		at++;
	return at && *at ? at + 1 : NULL;
}

/* Skip types and names to the end of what is open, an E of its own. Return: NULL if they contain something
 * else */
static const char *skip_to_end(const char *at)
{
	int depth = 1;

	while (at && *at) {
		if (is_digit(*at)) {
			at = skip_identifier(at); /* a length of 0 is the number of a lambda */
		} else if (*at == 'L' && at[1] != '_' && at[-1] != 'Z') { /* ZL: a function of one file */
			at = skip_literal(at + 1);
		} else if (*at == 'S' || *at == 'T') {
			at = skip_number(at + 1) ?: at + 2;
		} else if (*at == 'A' && is_digit(at[1])) {
			at = skip_number(at + 1) ?: at + 1;
		} else {
			bool is_pair = (*at == 'U' && at[1] == 'l') ||
				       (*at == 'D' && (at[1] == 't' || at[1] == 'T'));

			if (is_pair || *at == 'I' || *at == 'N' || *at == 'J' || *at == 'F' || *at == 'X' ||
			    *at == 'Z')
				depth++;
			else if (*at == 'E' && --depth == 0)
				return at + 1;
			at += is_pair ? 2 : 1;
		}
	}
	return NULL;
}

/* The meaning of one or two letters: operators, types, abbreviations. */
struct code {
	const char *code;
	const char *text;
};

static const struct code operators[] = {
	{ "nw", " new" }, { "na", " new[]" }, { "dl", " delete" }, { "da", " delete[]" }, { "ps", "+" },
	{ "ng", "-" },	  { "ad", "&" },      { "de", "*" },	   { "co", "~" },	  { "pl", "+" },
	{ "mi", "-" },	  { "ml", "*" },      { "dv", "/" },	   { "rm", "%" },	  { "an", "&" },
	{ "or", "|" },	  { "eo", "^" },      { "aS", "=" },	   { "pL", "+=" },	  { "mI", "-=" },
	{ "mL", "*=" },	  { "dV", "/=" },     { "rM", "%=" },	   { "aN", "&=" },	  { "oR", "|=" },
	{ "eO", "^=" },	  { "ls", "<<" },     { "rs", ">>" },	   { "lS", "<<=" },	  { "rS", ">>=" },
	{ "eq", "==" },	  { "ne", "!=" },     { "lt", "<" },	   { "gt", ">" },	  { "le", "<=" },
	{ "ge", ">=" },	  { "ss", "<=>" },    { "nt", "!" },	   { "aa", "&&" },	  { "oo", "||" },
	{ "pp", "++" },	  { "mm", "--" },     { "cm", "," },	   { "pm", "->*" },	  { "pt", "->" },
	{ "cl", "()" },	  { "ix", "[]" },     { NULL, NULL },
};

static const struct code types[] = {
	{ "v", "void" },
	{ "b", "bool" },
	{ "c", "char" },
	{ "a", "signed char" },
	{ "h", "unsigned char" },
	{ "w", "wchar_t" },
	{ "s", "short" },
	{ "t", "unsigned short" },
	{ "i", "int" },
	{ "j", "unsigned int" },
	{ "l", "long" },
	{ "m", "unsigned long" },
	{ "x", "long long" },
	{ "y", "unsigned long long" },
	{ "f", "float" },
	{ "d", "double" },
	{ "e", "long double" },
	{ "n", "__int128" },
	{ "o", "unsigned __int128" },
	{ NULL, NULL },
};

static const struct code of_std[] = {
	{ "Sa", "std::allocator" },
	{ "Sb", "std::basic_string" },
	{ NULL, NULL },
};

static const char *take_code(const struct code *codes, const char **at)
{
	for (; codes->code; codes++)
		if (text_begins(*at, codes->code)) {
			*at += text_length(codes->code);
			return codes->text;
		}
	return NULL;
}

/* A name as it is read. */
struct mangled {
	const char *at; /* NULL: it needs a real demangler */
	struct text *name;
	bool has_arguments; /* template arguments are wanted */
	int depth;
	const char *last; /* identifier, of constructors */
	size_t last_bytes;
};

static void fail(struct mangled *m)
{
	m->at = NULL;
}

static void read_name(struct mangled *m);

/* A literal: only for small integer types its text is known. */
static void read_literal(struct mangled *m)
{
	static const char kinds[] = "ijlmxyb";
	static const char *const ends[] = { "", "u", "l", "ul", "ll", "ull", "" };
	size_t kind = 0;
	const char *digits = m->at + 2;

	while (kinds[kind] && kinds[kind] != m->at[1])
		kind++;
	if (*digits == 'n') {
		text_add_char(m->name, '-');
		digits++;
	}
	if (!kinds[kind] || !is_digit(*digits)) {
		fail(m);
		return;
	}
	if (kinds[kind] == 'b')
		text_add(m->name, *digits == '1' ? "true" : "false");
	for (; is_digit(*digits); digits++)
		if (kinds[kind] != 'b')
			text_add_char(m->name, *digits);
	text_add(m->name, ends[kind]);
	m->at = *digits == 'E' ? digits + 1 : NULL;
}

/* A type that is written from left to right. Other types, and repeated ones, need a demangler. */
static void read_type(struct mangled *m)
{
	static const struct code suffixes[] = {
		{ "P", "*" }, { "R", "&" }, { "O", "&&" }, { "K", " const" }, { NULL, NULL }
	};
	const char *suffix, *type;

	if (m->depth++ > NESTING_MAX) {
		fail(m);
		return;
	}
	suffix = take_code(suffixes, &m->at);
	if (suffix) {
		read_type(m);
		text_add(m->name, suffix);
	} else if (*m->at == 'L') {
		read_literal(m);
	} else if ((type = take_code(types, &m->at))) {
		text_add(m->name, type);
	} else if (*m->at == 'N' || *m->at == 'S' || *m->at == 'Z' || is_digit(*m->at)) {
		read_name(m);
	} else {
		fail(m);
	}
	m->depth--;
}

/* @m->at: behind the I. */
static void read_arguments(struct mangled *m)
{
	const char *last = m->last;
	size_t last_bytes = m->last_bytes;

	if (!m->has_arguments) {
		m->at = skip_to_end(m->at);
		return;
	}
	text_add(m->name, m->name->at[-1] == '<' ? " <" : "<"); /* of operator< */
	for (bool is_first = true; m->at && *m->at != 'E'; is_first = false) {
		if (!is_first)
			text_add(m->name, ", ");
		read_type(m);
	}
	if (!m->at)
		return;
	if (m->name->at[-1] == '>')
		text_add_char(m->name, ' ');
	text_add_char(m->name, '>');
	m->at++;
	m->last = last;
	m->last_bytes = last_bytes;
}

/* The types of a lambda's parameters: "..." where one of them needs a demangler. */
static void read_parameters(struct mangled *m)
{
	const char *end = skip_to_end(m->at);
	char *start = m->name->at;

	for (bool is_first = true; m->at && *m->at != 'E'; is_first = false) {
		if (!is_first)
			text_add(m->name, ", ");
		read_type(m);
	}
	if (!m->at) {
		m->name->at = start;
		text_add(m->name, "...");
	}
	m->at = m->at || !m->has_arguments ? end : NULL;
}

/* "{lambda()#1}": @m->at: at the U. */
static void read_unnamed(struct mangled *m)
{
	bool is_lambda = m->at[1] == 'l', has_none = text_begins(m->at + 2, "vE");
	uint64_t number = 0;

	text_add(m->name, is_lambda ? "{lambda(" : "{unnamed type#");
	m->at += has_none ? 4 : 2;
	if (is_lambda && !has_none)
		read_parameters(m);
	text_add(m->name, is_lambda ? ")#" : "");
	if (m->at && is_digit(*m->at))
		number = 1;
	for (; m->at && is_digit(*m->at); m->at++)
		number = number - (number > 0) + (uint64_t)(*m->at - '0') + 1;
	text_add_number(m->name, number + 1);
	text_add_char(m->name, '}');
	m->at = m->at && *m->at == '_' ? m->at + 1 : NULL;
}

static void read_identifier(struct mangled *m)
{
	size_t bytes = read_length(&m->at);

	if (!bytes) {
		fail(m);
		return;
	}
	if (text_begins(m->at, ANONYMOUS))
		text_add(m->name, "(anonymous namespace)");
	else
		text_add_bytes(m->name, m->at, bytes);
	m->at += bytes;
}

static void read_operator(struct mangled *m)
{
	const char *text;

	if (text_begins(m->at, "cv")) { /* to a type */
		const bool has_arguments = m->has_arguments;

		m->at += 2;
		m->has_arguments = true;
		text_add(m->name, "operator ");
		read_type(m);
		m->has_arguments = has_arguments;
		return;
	}
	text = take_code(operators, &m->at);
	text_add(m->name, "operator");
	text_add(m->name, text ?: "");
	if (!text)
		fail(m);
}

/* One part of a name, without its template arguments. */
static void read_part(struct mangled *m)
{
	const char *text, *start = m->name->at;

	if (*m->at == 'L' && is_digit(m->at[1])) /* only seen in its file */
		m->at++;
	if (is_digit(*m->at)) {
		read_identifier(m);
		m->last_bytes = (size_t)(m->name->at - start);
		m->last = start;
	} else if ((*m->at == 'C' || *m->at == 'D') && is_digit(m->at[1]) && m->last) {
		text_add(m->name, *m->at == 'D' ? "~" : "");
		text_add_bytes(m->name, m->last, m->last_bytes);
		m->at += 2;
	} else if (*m->at == 'U' && (m->at[1] == 'l' || m->at[1] == 't')) {
		read_unnamed(m);
	} else if (text_begins(m->at, "St")) {
		m->at += 2;
		text_add(m->name, "std");
	} else if ((text = take_code(of_std, &m->at))) {
		m->last = text + sizeof("std::") - 1;
		m->last_bytes = text_length(text) - (sizeof("std::") - 1);
		text_add(m->name, text);
	} else {
		read_operator(m);
	}
	if (m->at && *m->at == 'B' && is_digit(m->at[1])) {
		m->at++;
		text_add(m->name, "[abi:");
		read_identifier(m);
		text_add_char(m->name, ']');
	}
}

/* @m->at: behind the Z. A name within a function. */
static void read_local(struct mangled *m)
{
	read_name(m);
	m->at = m->at ? skip_to_end(m->at) : NULL;
	if (!m->at)
		return;
	text_add(m->name, "::");
	read_name(m);
}

static void read_name(struct mangled *m)
{
	const bool is_nested = *m->at == 'N';

	if (m->depth++ > NESTING_MAX) {
		fail(m);
		return;
	}
	if (*m->at == 'Z') {
		m->at++;
		read_local(m);
		m->depth--;
		return;
	}
	for (m->at += is_nested;
	     is_nested && (*m->at == 'K' || *m->at == 'V' || *m->at == 'R' || *m->at == 'O');)
		m->at++;
	for (bool is_done = false; m->at && !is_done;) {
		const bool is_std = text_begins(m->at, "St");

		read_part(m);
		if (m->at && *m->at == 'I') {
			m->at++;
			read_arguments(m);
		}
		is_done = !m->at || (is_nested ? *m->at == 'E' : !is_std);
		if (!is_done)
			text_add(m->name, "::");
	}
	m->at = m->at && is_nested ? m->at + 1 : m->at;
	m->depth--;
}

static bool cpp_name(const char *at, struct text *name, bool has_arguments)
{
	struct mangled mangled = { .at = at, .name = name, .has_arguments = has_arguments };

	read_name(&mangled);
	return mangled.at && !name->cut;
}

bool symbol_short_name(const char *symbol, char *name, size_t bytes)
{
	struct text text;

	text_init(&text, name, bytes);
	return text_begins(symbol, "_Z") && cpp_name(symbol + 2, &text, true);
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
		return cpp_name(symbol + 2, &text, false);
	if (text_begins(symbol, "__") && plain_fortran(symbol, &text))
		return true;
	if (length < 2 || symbol[length - 1] != '_')
		return false;
	text_init(&text, name, bytes);
	text_add_bytes(&text, symbol, length - 1); /* a Fortran procedure outside of modules */
	return !text.cut;
}
