/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program's options, from one table: the parser and --help. scripts/manual makes the options of the man
 * page from --help, and shells complete by it. Names cannot be abbreviated. Used by insideme-run and
 * insideme-report.
 */
#pragma once

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct options;		/* the program's own */

#define OPTION_WRONG	2	/* exit status */

struct option_line {
	char letter;		/* 0: none */
	const char *name;
	/*
	 * The value's name; NULL: the option takes none. "[=VALUE]": it may have one, after '='.
	 * "[VALUE]": it needs one, unless it is the last word of the command line.
	 */
	const char *value;
	/* Store @value, NULL where none was given. Return: 0, or OPTION_WRONG after a message. */
	int (*take)(struct options *options, const struct option_line *line, const char *value);
	size_t at;		/* for take(): offset of a field of the options, or a number */
	const char *help;	/* one sentence, without a full stop */
	const char *fallback;	/* what holds without the option; NULL: see help */
};

struct option_table {
	const struct option_line *lines;
	size_t nr;
	int (*complain)(const char *format, ...) __attribute__((format(printf, 1, 2)));	/* a line on stderr */
};

/* The field is a const char *. */
static inline int option_take_text(struct options *options, const struct option_line *line, const char *value)
{
	*(const char **)((char *)options + line->at) = value;
	return 0;
}

/* The field is a bool. */
static inline int option_take_flag(struct options *options, const struct option_line *line, const char *value)
{
	(void)value;
	*(bool *)((char *)options + line->at) = true;
	return 0;
}

static inline bool word_is_option(const char *word)
{
	return word[0] == '-' && (isalpha((unsigned char)word[1]) || word[1] == '-');
}

/*
 * Take the option that is the first of the words, and its value. Return: 0, or OPTION_WRONG after a
 * message.
 */
static inline int option_take(const struct option_table *table, struct options *options, char ***words)
{
	const char *word = *(*words)++, *value = NULL;
	bool is_long = word[1] == '-';
	int length = is_long ? (int)strcspn(word, "=") : 2;	/* of the option, with its dashes */
	const struct option_line *line = NULL;

	for (size_t i = 0; i < table->nr && !line; i++) {
		const struct option_line *each = &table->lines[i];

		if (is_long ? strlen(each->name) + 2 == (size_t)length &&
			      !strncmp(word + 2, each->name, (size_t)length - 2)
			    : each->letter && word[1] == each->letter)
			line = each;
	}
	if (!line)
		return table->complain("unknown option %.*s (--help lists them)", length, word), OPTION_WRONG;
	if (word[length])
		value = word + length + is_long;
	if (value && !line->value)
		return table->complain("option %.*s takes no value", length, word), OPTION_WRONG;
	if (!value && line->value && line->value[1] != '=' && **words)
		value = *(*words)++;
	if (value && value == (*words)[-1] && word_is_option(value))
		return table->complain("option %s needs a value, and %s is an option", word, value),
		       OPTION_WRONG;
	if (!value && line->value && line->value[0] != '[')
		return table->complain("option %s needs a value", word), OPTION_WRONG;
	return line->take(options, line, value);
}

/* Print the lines of --help. */
static inline void option_print_help(const struct option_table *table)
{
	enum { INDENT = 27, COLUMNS = 100 };

	for (const struct option_line *line = table->lines; line < table->lines + table->nr; line++) {
		char text[256];
		const char *between = !line->value || line->value[1] == '=' ? ""
				      : line->value[0] == '['		    ? " "
									    : "=";
		int column = printf(line->letter ? "  -%c, --%s%s%s" : "  %c   --%s%s%s",
				    line->letter ? line->letter : ' ', line->name, between,
				    line->value ? line->value : "");

		snprintf(text, sizeof(text), line->fallback ? "%s [%s]" : "%s", line->help, line->fallback);
		column = column + 2 <= INDENT ? column + printf("%*s", INDENT - 1 - column, "") : COLUMNS;
		for (const char *at = text; *at; at += strspn(at, " ")) {
			int bytes = (int)strcspn(at, " ");

			column = column + 1 + bytes <= COLUMNS ? column + printf(" ")
							       : printf("\n%*s", INDENT, "") - 1;
			column += printf("%.*s", bytes, at);
			at += bytes;
		}
		printf("\n");
	}
}
