/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fields: what functions are for, for example "I/O" or "solver". Rules GLOB = FIELD decide, the first that
 * matches. A GLOB is a pattern of selector.h. A function that no rule matches has a field of its own,
 * "@name"; so has one whose rule gives an empty field. First come the rules of --fields, then those in force
 * when the run was recorded (INSIDEME_FIELDS), then the source (INSIDEME_FIELD), then rules for names that
 * every program has.
 */
#pragma once

#include "analyzer/model/model.h"

struct field_rule {
	char *pattern;
	char *field;			/* "": the function's own field, "@name" */
};

struct field_rules {
	struct field_rule *rules;
	size_t nr;
};

/*
 * Add the rules in @text, separated by semicolons or newlines. A line that begins with # is a comment. Text
 * that is no rule is reported on stderr as "@where:LINE: ..." and skipped.
 */
void field_rules_parse(struct field_rules *rules, const char *where, const char *text);
/* The field of the first rule that matches: "" for the function's own, NULL if none matches. */
const char *field_rules_find(const struct field_rules *rules, struct function *function);
void field_rules_release(struct field_rules *rules);

/*
 * Set function->field of all functions, once. Set said_field to the field from all rules but those for every
 * program. @given: the value of --fields, NULL: none. Return: 0, or -1 after an error()
 */
int fields_apply(struct model *model, const char *given);

/* Set the field that @function had in a saved profile. */
void field_say(struct model *model, struct function *function, const char *field);
