/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rules that runs must keep to, as --gate has them, separated by ';' or by lines:
 *	FIGURE [of FUNCTION] OPERATOR LIMIT
 * FIGURE: a name of run_values.h. FUNCTION: a name or a glob, in quotes if it contains blanks.
 * OPERATOR: == <= <. LIMIT: a number (200M, 1.5s), base, or base + a number or a percentage.
 * # begins a comment.
 */
#pragma once

#include "analyzer/cells/run_values.h"

enum gate_operator { GATE_EQUAL, GATE_AT_MOST, GATE_LESS };

struct gate_rule {
	char *text;			/* as it was given */
	const struct figure *figure;
	char *function;			/* pattern; NULL: of whole runs */
	enum gate_operator operator;
	bool has_base;
	double percent;			/* over base */
	double amount;			/* over base, or the limit */
};

struct gate_rules {
	struct gate_rule *list;
	size_t nr;
};

/* @text: rules, @FILE, or "default". Return: 0, or EXIT_USAGE after an error() that says where */
int gate_rules_parse(struct gate_rules *rules, const char *text);
void gate_rules_release(struct gate_rules *rules);
