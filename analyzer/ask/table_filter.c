/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The language of --filter, and what it says of a row. */
#include "analyzer/ask/table_filter.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/names.h"

enum verb { VERB_NOT_IN, VERB_IN, VERB_AT_MOST, VERB_LESS, VERB_AT_LEAST, VERB_MORE, VERB_SAME, VERB_OTHER,
	NR_VERBS, VERB_CHANGED };

/* In this order they are looked for: "<" would be found in "<=". */
static const struct {
	const char *text;
	bool is_word;
	bool takes_list;
	bool needs_numbers;
} verbs[NR_VERBS] = {
	[VERB_NOT_IN]   = { "not in", true, true, false },
	[VERB_IN]       = { "in", true, true, false },
	[VERB_AT_MOST]  = { "<=", false, false, true },
	[VERB_LESS]     = { "<", false, false, true },
	[VERB_AT_LEAST] = { ">=", false, false, true },
	[VERB_MORE]     = { ">", false, false, true },
	[VERB_SAME]     = { "==", false, false, false },
	[VERB_OTHER]    = { "!=", false, false, false },
};
#define EXPECTED_VERB "expected in, not in, <, <=, >, >=, == or !="

/* The units that a number may have, by the end of the column's name. */
static const struct {
	const char *column;
	const char *example;
	struct { const char *text; double scale; } units[10];
} kinds[] = {
	{ "_ns", "a time such as 1ms", { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 }, { "min",
	  60e9 }, { "h", 3600e9 } } },
	{ "_bytes", "a size such as 64M", { { "B", 1 }, { "k", 0x1p10 }, { "K", 0x1p10 }, { "KiB", 0x1p10 },
	  { "M", 0x1p20 },
		{ "MiB", 0x1p20 }, { "G", 0x1p30 }, { "GiB", 0x1p30 }, { "T", 0x1p40 } } },
	{ "_percent", "a percentage", { { "%", 1 } } },
	{ "", "a number", { { "k", 1e3 }, { "M", 1e6 }, { "G", 1e9 } } },
};

struct operand {
	char *text;
	double number;			/* where the column has numbers */
};

struct term {
	const struct column *column;
	enum verb verb;
	struct operand *operands;
	size_t nr_operands;
	struct value last;		/* of changed(): what the row before had; its text is a copy */
	bool has_last;
};

struct row_filter {
	struct term *terms;
	size_t nr_terms;
};

struct parser {
	const struct table *table;
	const char *at;
};

static int wrong(const char *at, const char *what)
{
	if (*at)
		return error("--filter: at \"%s\": %s", at, what);
	return error("--filter: at its end: %s", what);
}

static void skip_blanks(struct parser *parser)
{
	parser->at += strspn(parser->at, " \t\n");
}

static size_t word_length(const char *text)
{
	size_t length = 0;

	while (isalnum((unsigned char)text[length]) || text[length] == '_')
		length++;
	return length;
}

/* Its name, its name without the unit, or its title. */
static bool is_named(const struct column *column, const char *word, size_t length)
{
	if (strncmp(column->name, word, length) == 0) {
		const char *rest = column->name + length;

		for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
			if (strcmp(rest, kinds[i].column) == 0)
				return true;
	}
	return strlen(column->title) == length && strncasecmp(column->title, word, length) == 0;
}

static int no_column(const struct parser *parser, const char *word, size_t length)
{
	char *list = xstrdup(""), *wanted = xasprintf("%.*s", (int)length, word), *near, *text;
	struct nearest nearest = { .wanted = wanted };

	for (size_t i = 0; i < parser->table->nr_columns; i++) {
		char *longer = xasprintf("%s%s%s", list, i ? "," : "", parser->table->columns[i].name);

		free(list);
		list = longer;
		nearest_add(&nearest, parser->table->columns[i].name);
	}
	near = nearest_text(&nearest);
	text = xasprintf("no column '%s' in %s%s%s there are: %s", wanted, parser->table->name, near,
			 near[0] ? "" : ";", list);
	wrong(word, text);
	free(text);
	free(list);
	free(near);
	free(wanted);
	return -1;
}

static int parse_column(struct parser *parser, struct term *term)
{
	const struct table *table = parser->table;
	size_t length;

	skip_blanks(parser);
	length = word_length(parser->at);
	if (!length)
		return wrong(parser->at, "expected a column");
	term->column = table_find_column(table, parser->at, length);
	for (size_t i = 0; i < table->nr_columns && !term->column; i++)
		if (is_named(&table->columns[i], parser->at, length))
			term->column = &table->columns[i];
	if (!term->column)
		return no_column(parser, parser->at, length);
	parser->at += length;
	return 0;
}

static int parse_verb(struct parser *parser, struct term *term)
{
	const char *begin;

	skip_blanks(parser);
	begin = parser->at;
	for (size_t i = 0; i < NR_VERBS; i++) {
		size_t length = strlen(verbs[i].text);

		if (strncmp(begin, verbs[i].text, length) != 0 ||
		    (verbs[i].is_word && word_length(begin + length)))
			continue;
		if (verbs[i].needs_numbers && term->column->flags & COLUMN_LEFT)
			return wrong(begin, "this column has texts, which have no size");
		term->verb = (enum verb)i;
		parser->at += length;
		return 0;
	}
	return wrong(begin, EXPECTED_VERB);
}

/* Return: the kind of numbers that a column has, by the end of its name. */
static size_t kind_of(const struct column *column)
{
	size_t length = strlen(column->name), kind = 0;

	for (;; kind++) {
		size_t end = strlen(kinds[kind].column);

		if (length >= end && strcmp(column->name + length - end, kinds[kind].column) == 0)
			return kind;
	}
}

static int parse_number(const struct column *column, struct operand *operand, const char *at)
{
	size_t kind = kind_of(column);
	char *end, *text;

	operand->number = strtod(operand->text, &end);
	if (end != operand->text && !*end)
		return 0;
	for (size_t i = 0; end != operand->text && kinds[kind].units[i].text; i++) {
		if (strcmp(end, kinds[kind].units[i].text) != 0)
			continue;
		operand->number *= kinds[kind].units[i].scale;
		return 0;
	}
	text = xasprintf("'%s' is not %s", operand->text, kinds[kind].example);
	wrong(at, text);
	free(text);
	return -1;
}

/* One VALUE, in quotes or up to a blank or comma. */
static int parse_operand(struct parser *parser, struct term *term)
{
	const char *begin, *end;
	struct operand *operand;
	char quote;

	skip_blanks(parser);
	begin = parser->at;
	quote = *begin == '"' || *begin == '\'' ? *begin : '\0';
	end = quote ? strchr(begin + 1, quote) : begin + strcspn(begin, " \t\n,");
	if (!end)
		return wrong(begin, "this quote has no end");
	if (end == begin)
		return wrong(begin, "expected a value");
	operand = &APPEND(term->operands, term->nr_operands);
	operand->text = xasprintf("%.*s", (int)(end - begin) - !!quote, begin + !!quote);
	parser->at = end + !!quote;
	return term->column->flags & COLUMN_LEFT ? 0 : parse_number(term->column, operand, begin);
}

static int parse_operands(struct parser *parser, struct term *term)
{
	for (;;) {
		if (parse_operand(parser, term) < 0)
			return -1;
		skip_blanks(parser);
		if (*parser->at != ',')
			return 0;
		if (!verbs[term->verb].takes_list)
			return wrong(parser->at, "one value only; in and not in take several");
		parser->at++;
	}
}

static int parse_changed(struct parser *parser, struct term *term)
{
	term->verb = VERB_CHANGED;
	skip_blanks(parser);
	if (*parser->at++ != '(')
		return wrong(parser->at - 1, "expected changed(COLUMN)");
	if (parse_column(parser, term) < 0)
		return -1;
	skip_blanks(parser);
	if (*parser->at++ != ')')
		return wrong(parser->at - 1, "expected )");
	return 0;
}

static bool take_word(struct parser *parser, const char *word)
{
	size_t length = strlen(word);

	skip_blanks(parser);
	if (word_length(parser->at) != length || memcmp(parser->at, word, length) != 0)
		return false;
	parser->at += length;
	return true;
}

static int parse_term(struct parser *parser, struct term *term)
{
	if (take_word(parser, "changed"))
		return parse_changed(parser, term);
	if (parse_column(parser, term) < 0 || parse_verb(parser, term) < 0)
		return -1;
	return parse_operands(parser, term);
}

static int parse(struct row_filter *filter, struct parser *parser)
{
	do {
		filter->terms = xgrow(filter->terms, filter->nr_terms, sizeof(*filter->terms));
		if (parse_term(parser, &filter->terms[filter->nr_terms++]) < 0)
			return -1;
	} while (take_word(parser, "and"));
	return *parser->at ? wrong(parser->at, "expected and") : 0;
}

struct row_filter *row_filter_new(const struct table *table, const char *text)
{
	struct row_filter *filter = xcalloc(1, sizeof(*filter));
	struct parser parser = { table, text };

	if (parse(filter, &parser) == 0)
		return filter;
	row_filter_free(filter);
	return NULL;
}

static void forget_last(struct term *term)
{
	if (term->has_last && term->last.type == VALUE_TEXT)
		free((char *)term->last.text);
	term->has_last = false;
}

void row_filter_reset(struct row_filter *filter)
{
	for (size_t i = 0; i < filter->nr_terms; i++)
		forget_last(&filter->terms[i]);
}

void row_filter_free(struct row_filter *filter)
{
	if (!filter)
		return;
	row_filter_reset(filter);
	for (size_t i = 0; i < filter->nr_terms; i++) {
		for (size_t j = 0; j < filter->terms[i].nr_operands; j++)
			free(filter->terms[i].operands[j].text);
		free(filter->terms[i].operands);
	}
	free(filter->terms);
	free(filter);
}

static bool has_changed(struct term *term, struct value value)
{
	bool changed =
		!term->has_last || value.type != term->last.type || value_compare(value, term->last) != 0;

	if (!changed)
		return false;
	forget_last(term);
	term->last = value;
	if (value.type == VALUE_TEXT)
		term->last.text = xstrdup(value.text);
	term->has_last = true;
	return true;
}

static bool text_matches(const struct column *column, const char *pattern, const char *text)
{
	const char *slash = strrchr(text, '/');

	if (column->flags & COLUMN_NAME)
		return name_matches(pattern, text);
	return strcmp(pattern, text) == 0 || fnmatch(pattern, text, 0) == 0 ||
	       (slash && fnmatch(pattern, slash + 1, 0) == 0);
}

static bool is_one_of(const struct term *term, struct value value)
{
	for (size_t i = 0; i < term->nr_operands; i++) {
		const struct operand *operand = &term->operands[i];

		if (value.type == VALUE_TEXT ? text_matches(term->column, operand->text, value.text) :
		    value_number(value) == operand->number)
			return true;
	}
	return false;
}

/* An unknown value equals none of the values, and is neither smaller nor larger. */
static bool holds(struct term *term, const void *row)
{
	struct value value = term->column->get(term->column, row);
	bool known = value.type != VALUE_EMPTY;
	double number = value_number(value), limit = term->nr_operands ? term->operands[0].number : 0;

	switch (term->verb) {
	case VERB_CHANGED:
		return has_changed(term, value);
	case VERB_IN:
	case VERB_SAME:
		return known && is_one_of(term, value);
	case VERB_NOT_IN:
	case VERB_OTHER:
		return !known || !is_one_of(term, value);
	case VERB_LESS:
		return known && number < limit;
	case VERB_AT_MOST:
		return known && number <= limit;
	case VERB_MORE:
		return known && number > limit;
	default:
		return known && number >= limit;
	}
}

bool row_filter_passes(struct row_filter *filter, const void *row)
{
	bool passes = true;

	for (size_t i = 0; i < filter->nr_terms; i++)	/* each, for changed() looks at all rows */
		passes &= holds(&filter->terms[i], row);
	return passes;
}
