/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/cells/gate_rules.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"

#define DEFAULT_RULES \
	"alloc_calls <= base; alloc_bytes <= base; heap_peak_bytes <= base + 1%; not_freed_bytes <= base; " \
	"cpu_ns <= base + 5%"

static const struct {
	const char *name;
	enum unit unit;
	double scale;
} suffixes[] = {
	{ "%", UNIT_PERCENT, 1 },
	{ "ns", UNIT_NS, 1 }, { "us", UNIT_NS, 1e3 }, { "ms", UNIT_NS, 1e6 }, { "s", UNIT_NS, 1e9 },
	{ "min", UNIT_NS, 60e9 },
	{ "k", UNIT_BYTES, 1 << 10 }, { "M", UNIT_BYTES, 1 << 20 }, { "G", UNIT_BYTES, 1 << 30 },
	{ "KiB", UNIT_BYTES, 1 << 10 }, { "MiB", UNIT_BYTES, 1 << 20 }, { "GiB", UNIT_BYTES, 1 << 30 },
	{ "B", UNIT_BYTES, 1 },
};

struct parser {
	const char *text, *at;
	const char *line;		/* where the rule begins */
};

static int wrong(const struct parser *parser, const char *expected)
{
	error("--gate: %s is expected at character %zu: '%.40s'", expected,
	      (size_t)(parser->at - parser->text) + 1, parser->at);
	return EXIT_USAGE;
}

static void skip_blanks(struct parser *parser)
{
	while (*parser->at == ' ' || *parser->at == '\t' || *parser->at == '\r')
		parser->at++;
}

static bool is_at_end(const struct parser *parser)
{
	return !*parser->at || strchr(";\n#", *parser->at);
}

static bool take_word(struct parser *parser, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(parser->at, word, length) != 0 ||
	    (isalpha((unsigned char)word[0]) &&
	     (isalnum((unsigned char)parser->at[length]) || parser->at[length] == '_')))
		return false;
	parser->at += length;
	skip_blanks(parser);
	return true;
}

static int take_figure(struct parser *parser, struct gate_rule *rule)
{
	size_t length = strspn(parser->at, "abcdefghijklmnopqrstuvwxyz_");

	rule->figure = figure_find(parser->at, length);
	if (!rule->figure)
		return wrong(parser, "a figure such as cpu_ns, calls, alloc_bytes");
	parser->at += length;
	skip_blanks(parser);
	return 0;
}

static int take_function(struct parser *parser, struct gate_rule *rule)
{
	char quote = *parser->at == '\'' || *parser->at == '"' ? *parser->at++ : 0;
	size_t length =
		quote ? strcspn(parser->at, quote == '"' ? "\"\n" : "'\n") : strcspn(parser->at, " \t\r\n;");

	if (!length || (quote && parser->at[length] != quote))
		return wrong(parser, "a function's name");
	rule->function = xcalloc(length + 1, 1);
	memcpy(rule->function, parser->at, length);
	parser->at += length + (quote != 0);
	skip_blanks(parser);
	return 0;
}

static int take_operator(struct parser *parser, struct gate_rule *rule)
{
	static const char *const operators[] = {
		[GATE_EQUAL] = "==", [GATE_AT_MOST] = "<=", [GATE_LESS] = "<"
	};

	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++)
		if (take_word(parser, operators[i])) {
			rule->operator = (enum gate_operator)i;
			return 0;
		}
	return wrong(parser, "==, <= or <");
}

/* A number of the figure's unit, or a percentage of base. */
static int take_number(struct parser *parser, struct gate_rule *rule)
{
	const char *number = parser->at;
	char *end;
	double value = strtod(number, &end);
	size_t length;

	if (!isdigit((unsigned char)number[0]))
		return wrong(parser, "a number");
	parser->at = end;
	length = strspn(end, "%abcdefghijklmnopqrstuvwxyzBGKM");
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes) && length; i++) {
		if (strlen(suffixes[i].name) != length || memcmp(suffixes[i].name, end, length) != 0)
			continue;
		if (suffixes[i].unit != rule->figure->unit &&
		    !(suffixes[i].unit == UNIT_PERCENT && rule->has_base))
			return wrong(parser, "a unit of the figure");
		if (suffixes[i].unit == UNIT_PERCENT)
			rule->percent = value;
		else
			rule->amount = value * suffixes[i].scale;
		parser->at += length;
		return 0;
	}
	if (length)
		return wrong(parser, "a unit: %, ns, us, ms, s, B, k, M or G");
	rule->amount = value;
	return 0;
}

static int take_limit(struct parser *parser, struct gate_rule *rule)
{
	rule->has_base = take_word(parser, "base");
	if (rule->has_base && !take_word(parser, "+"))
		return 0;
	return take_number(parser, rule);
}

static int take_rule(struct parser *parser, struct gate_rule *rule)
{
	int status = take_figure(parser, rule);

	if (status == 0 && take_word(parser, "of"))
		status = take_function(parser, rule);
	if (status == 0 &&
	    !(rule->function ? rule->figure->of_function != OF_NO_FUNCTION : figure_is_of_runs(rule->figure)))
		return error("--gate: %s is %s", rule->figure->name,
			     rule->function ? "of runs, not of functions"
					    : "of functions: 'of NAME' is missing"),
		       EXIT_USAGE;
	if (status == 0)
		status = take_operator(parser, rule);
	if (status == 0)
		status = take_limit(parser, rule);
	skip_blanks(parser);
	return status || is_at_end(parser) ? status : wrong(parser, "';' or the end");
}

static void keep_text(const struct parser *parser, struct gate_rule *rule)
{
	size_t length = (size_t)(parser->at - parser->line);

	while (length && isspace((unsigned char)parser->line[length - 1]))
		length--;
	rule->text = xasprintf("%.*s", (int)length, parser->line);
}

static int parse(struct gate_rules *rules, const char *text)
{
	struct parser parser = { .text = text, .at = text };

	for (;;) {
		struct gate_rule *rule;
		int status;

		parser.at += strspn(parser.at, " \t\r\n;");
		if (*parser.at == '#')
			parser.at += strcspn(parser.at, "\n");
		else if (!*parser.at)
			break;
		else {
			rule = &APPEND(rules->list, rules->nr);
			parser.line = parser.at;
			status = take_rule(&parser, rule);
			keep_text(&parser, rule);
			if (status)
				return status;
		}
	}
	return rules->nr ? 0 : (error("--gate: there is no rule"), EXIT_USAGE);
}

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t bytes = 0;
	ssize_t length = file ? getdelim(&text, &bytes, '\0', file) : -1;

	if (file)
		fclose(file);
	if (length < 0) {
		error("--gate: cannot read %s: %s", path, file ? "it is empty" : strerror(errno));
		free(text);
		return NULL;
	}
	return text;
}

int gate_rules_parse(struct gate_rules *rules, const char *text)
{
	char *file = text[0] == '@' ? read_file(text + 1) : NULL;
	int status = EXIT_USAGE;

	*rules = (struct gate_rules){ .nr = 0 };
	if (file || text[0] != '@')
		status = parse(rules, file ?: strcmp(text, "default") == 0 ? DEFAULT_RULES : text);
	free(file);
	return status;
}

void gate_rules_release(struct gate_rules *rules)
{
	for (size_t i = 0; i < rules->nr; i++) {
		free(rules->list[i].text);
		free(rules->list[i].function);
	}
	free(rules->list);
}
