/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Function names as text, and suggestions for misspelt ones. */
#include "analyzer/base/names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/utf8.h"
#include "insideme_pattern.h"

/* Part of libsupc++; declared here because its header is C++. */
char *__cxa_demangle(const char *name, char *buffer, size_t *bytes, int *status);

#define ANONYMOUS "(anonymous namespace)"
#define CLONE " [clone "
#define OPENMP_BODY CLONE "._omp_"	/* of a parallel region: no copy, but a part of the function */

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* The end of the bracket group that begins at @p, or the end of the text if the group is never closed. */
static const char *group_end(const char *p)
{
	int depth = 0;

	for (; *p; p++) {
		if (*p == '(' || *p == '<' || *p == '{' || *p == '[')
			depth++;
		else if (*p == ')' || *p == '}' || *p == ']' || (*p == '>' && p[-1] != '-'))
			depth--;
		if (depth <= 0)
			return p + 1;
	}
	return p;
}

/* The end of the symbol or type after the word "operator": "()", "<<", " new[]", " unsigned int". */
static const char *operator_end(const char *p)
{
	/*
	 * longest first; a '<' after one of them opens template arguments: the demangler writes
	 * "operator< <"
	 */
	static const char *const symbols[] = {
		"<<=", ">>=", "<=>", "->*", "()", "[]", "<<", ">>", "<=", ">=", "==", "!=", "&&",
		"||",  "++",  "--",  "+=",  "-=", "*=", "/=", "%=", "^=", "&=", "|=", "->"
	};

	for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++)
		if (begins(p, symbols[i]))
			return p + strlen(symbols[i]);
	if (*p != ' ')
		return *p && strchr("<>=!+-*/%^&|~,", *p) ? p + 1 : p;
	while (*p && *p != '(')
		p = *p == '<' ? group_end(p) : p + 1;
	return p;
}

static bool word_begins(const char *name, const char *p)
{
	return p == name || !(isalnum((unsigned char)p[-1]) || p[-1] == '_');
}

/*
 * The end of a qualifier that follows the parameters, or @p if there is none. @p: a space at the top
 * level.
 */
static const char *qualifier_end(const char *p)
{
	static const char *const qualifiers[] = { " const", " volatile", " &&", " &", " noexcept" };

	for (size_t i = 0; i < sizeof(qualifiers) / sizeof(*qualifiers); i++) {
		size_t length = strlen(qualifiers[i]);

		if (begins(p, qualifiers[i]) && strchr(" :[", p[length]))
			return p + length;
	}
	return begins(p, CLONE) ? group_end(p + 1) : p;
}

/* One step of name_short(): handle what is at @p. Return: where to go on */
static const char *shorten_step(const char *name, const char *p, char *out, size_t *used)
{
	const char *end = p + 1;

	if (begins(p, ANONYMOUS)) {
		end = p + strlen(ANONYMOUS);
	} else if (begins(p, "operator") && word_begins(name, p) && !isalnum((unsigned char)p[8]) &&
		   p[8] != '_') {
		end = operator_end(p + 8);
	} else if (*p == '(') {
		return group_end(p);
	} else if (*p == '<' || *p == '{') {
		end = group_end(p);
	} else if (*p == ' ') {
		if (begins(p, OPENMP_BODY)) {	/* as the linker names it in C: "f._omp_fn.0" */
			p += sizeof(CLONE) - 1;
			end = p + strcspn(p, "]");
			memcpy(out + *used, p, (size_t)(end - p));
			*used += (size_t)(end - p);
			return end + (*end == ']');
		}
		if (qualifier_end(p) > p)
			return qualifier_end(p);
		if (p[1] != '<') {
			*used = 0;		/* everything before was the return type */
			return end;
		}
	}
	memcpy(out + *used, p, (size_t)(end - p));
	*used += (size_t)(end - p);
	return end;
}

char *name_demangled(const char *symbol)
{
	return begins(symbol, "_Z") ? __cxa_demangle(symbol, NULL, NULL, NULL) : NULL;
}

char *name_of_type(const char *mangled)
{
	char *name = __cxa_demangle(mangled, NULL, NULL, NULL);

	return name ? name : xstrdup(mangled);
}

const char *path_base(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "";
}

bool path_is_header(const char *path)
{
	return (strncmp(path, "/usr/", 5) == 0 || strncmp(path, "/opt/", 5) == 0) &&
	       strstr(path, "/include/");
}

static enum shown_paths shown_paths;

void paths_show(enum shown_paths how)
{
	shown_paths = how;
}

const char *path_in_data(const char *path)
{
	return path && shown_paths == PATHS_SHORT ? path_base(path) : path;
}

const char *path_in_text(const char *path)
{
	return path && shown_paths != PATHS_WHOLE ? path_base(path) : path;
}

char *name_in_source(const char *name)
{
	static const char mark[] = ".lto_priv.";
	char *out = xstrdup(name), *at = strstr(out, mark);
	const char *end = at ? at + strlen(mark) : NULL;

	if (at && at > out) {
		end += strspn(end, "0123456789");
		memmove(at, end, strlen(end) + 1);
	}
	return out;
}

size_t name_length_in_source(const char *name)
{
	static const char *const marks[] = { ".constprop.", ".isra.", ".part.", ".cold", " [clone " };
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		const char *at = strstr(name, marks[i]);

		if (at > name && (size_t)(at - name) < length)
			length = (size_t)(at - name);
	}
	return length;
}

char *name_short(const char *name)
{
	char *out = xcalloc(strlen(name) + 1, 1);
	size_t used = 0;

	for (const char *p = name; *p; )
		p = shorten_step(name, p, out, &used);
	out[used] = '\0';
	return used ? out : strcpy(out, name);
}

char *name_plain(const char *short_name)
{
	char *out = xcalloc(strlen(short_name) + 1, 1), *at = out;

	for (const char *p = short_name, *end; *p; p = end) {
		end = p + 1;
		if (begins(p, "operator") && word_begins(short_name, p))
			end = operator_end(p + 8);
		else if (*p == '<' || begins(p, " <")) /* of "operator< <int>" */
			end = p = group_end(p + (*p == ' '));
		at = mempcpy(at, p, (size_t)(end - p));
	}
	return out;
}

/* Bytes of the first characters of @text that fit into @width columns. */
static size_t fitting_bytes(const char *text, size_t width)
{
	size_t bytes = 0;

	while (text[bytes] && utf8_first(text + bytes).columns <= width) {
		width -= utf8_first(text + bytes).columns;
		bytes += utf8_first(text + bytes).bytes;
	}
	return bytes;
}

char *text_fit(const char *text, size_t width, const char *cut)
{
	size_t left = width > utf8_columns(cut) ? width - utf8_columns(cut) : 0;

	return xasprintf("%.*s%s", (int)fitting_bytes(text, left), text, cut);
}

/* Copy @name, replacing template arguments below @depth brackets by @cut. */
static void collapse(char *out, const char *name, int depth, const char *cut)
{
	int open = 0;

	for (const char *p = name; *p; ) {
		const char *end = p + 1;

		if (begins(p, "operator") && word_begins(name, p))
			end = operator_end(p + 8);
		else if (*p == '<')
			open++;
		else if (*p == '>' && open)
			open--;
		memcpy(out, p, (size_t)(end - p));
		out += end - p;
		if (*p == '<' && open == depth) {
			end = group_end(p) - 1;
			if (*end == '>')
				out = stpcpy(out, cut);
			else
				end = p + 1;
		}
		p = end;
	}
	*out = '\0';
}

/*
 * Cut the middle out of @text so that @width columns remain. The end keeps two thirds of them, because
 * it says most.
 */
static void cut_middle(char *text, size_t width, const char *cut)
{
	size_t keep = width > utf8_columns(cut) ? width - utf8_columns(cut) : 0, head = keep / 3;
	size_t columns = utf8_columns(text);
	char *tail = text;

	while (columns > keep - head) {
		columns -= utf8_first(tail).columns;
		tail += utf8_first(tail).bytes;
	}
	tail = xstrdup(tail);
	strcpy(stpcpy(text + fitting_bytes(text, head), cut), tail);
	free(tail);
}

/*
 * Drop leading namespaces and classes: as few as necessary, and never the last component. If the rest would
 * leave half of the room empty, the scopes stay: many functions may have that name.
 */
static void cut_scopes(char *text, size_t width, const char *cut)
{
	char *rest = NULL;

	for (const char *p = text; *p && (!rest || utf8_columns(rest) + utf8_columns(cut) > width); ) {
		if (begins(p, "::") && p > text)
			rest = (char *)p;
		p = strchr("(<{", *p) ? group_end(p) : p + 1;
	}
	if (!rest || utf8_columns(rest) + utf8_columns(cut) > width || utf8_columns(rest) < width / 2)
		return;
	rest = xstrdup(rest);
	strcpy(stpcpy(text, cut), rest);
	free(rest);
}

/* Take anonymous namespaces out of @text: one at its begin leaves @cut. */
static void cut_anonymous(char *text, const char *cut)
{
	static const char scope[] = ANONYMOUS "::";
	char *out = text, *p = text;

	if (begins(p, scope)) {
		out = stpcpy(out, cut);
		p += strlen(ANONYMOUS);
	}
	while (*p)
		if (begins(p, scope))
			p += strlen(scope);
		else
			*out++ = *p++;
	*out = '\0';
}

char *name_fit(const char *name, size_t width, const char *cut)
{
	/* a collapsed list grows by less than @cut, and its brackets bound how many there are */
	char *out = xcalloc(strlen(name) + 2, strlen(cut) + 1), *whole;

	strcpy(out, name);
	if (utf8_columns(out) > width)
		cut_anonymous(out, cut);
	whole = xstrdup(out);
	for (int depth = 2; depth >= 1 && utf8_columns(out) > width; depth--)
		collapse(out, whole, depth, cut);
	free(whole);
	if (utf8_columns(out) > width)
		cut_scopes(out, width, cut);
	if (utf8_columns(out) > width)
		cut_middle(out, width, cut);
	return out;
}

char *name_fit_end(const char *name, size_t width, const char *cut)
{
	const size_t left = width > utf8_columns(cut) ? width - utf8_columns(cut) : 0;
	char *text = xstrdup(name), *tail = text, *out;
	size_t columns;

	cut_anonymous(text, "");
	for (columns = utf8_columns(text); columns > left; tail += utf8_first(tail).bytes)
		columns -= utf8_first(tail).columns;
	out = xasprintf("%s%s", cut, tail);
	free(text);
	return out;
}

bool name_matches_either(const struct glob *glob, const char *name, const char *short_name)
{
	char first = *glob->start;

	if ((isalnum((unsigned char)first) || first == '_') && name[0] != first && short_name[0] != first)
		return false;	/* rejects nearly every name at once */
	return glob_fits(glob, name) || glob_fits(glob, short_name);
}

bool name_matches(const char *pattern, const char *name)
{
	struct glob glob = { pattern, strlen(pattern) };
	char *short_name = name_short(name), *plain = name_plain(short_name);
	bool found = glob.bytes && (name_matches_either(&glob, name, short_name) || glob_fits(&glob, plain));

	free(short_name);
	free(plain);
	return found;
}

void nearest_add(struct nearest *nearest, const char *name)
{
	const struct glob word = { nearest->wanted, strlen(nearest->wanted) };
	size_t far = near_distance(&word, name), at = nearest->nr;

	if (far == SIZE_MAX)
		return;
	for (size_t i = 0; i < nearest->nr; i++)
		if (strcmp(nearest->names[i], name) == 0)
			return;
	while (at > 0 && nearest->distances[at - 1] > far)
		at--;
	if (at == NEAREST_MAX)
		return;
	if (nearest->nr == NEAREST_MAX)
		free(nearest->names[--nearest->nr]);
	for (size_t i = nearest->nr++; i > at; i--) {
		nearest->names[i] = nearest->names[i - 1];
		nearest->distances[i] = nearest->distances[i - 1];
	}
	nearest->names[at] = xstrdup(name);
	nearest->distances[at] = far;
}

char *nearest_text(struct nearest *nearest)
{
	char *text = xstrdup(""), *longer;

	for (size_t i = 0; i < nearest->nr; i++) {
		const char *before = i == 0 ? "; did you mean " : i + 1 == nearest->nr ? " or " : ", ";

		longer = xasprintf("%s%s%s", text, before, nearest->names[i]);
		free(text);
		free(nearest->names[i]);
		text = longer;
	}
	longer = xasprintf("%s%s", text, nearest->nr ? "?" : "");
	free(text);
	nearest->nr = 0;
	return longer;
}

char *utf8_cleaned(const char *text)
{
	char *clean = xcalloc(strlen(text) + 1, strlen("\xef\xbf\xbd")), *end = clean;

	while (*text) {
		size_t length = utf8_length(text);

		end = length ? mempcpy(end, text, length) : mempcpy(end, "\xef\xbf\xbd", 3);
		text += length ? length : 1;
	}
	return clean;
}
