/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fields: what functions are for, as "I/O" or "solver". Rules GLOB = FIELD say it, the first that matches; a GLOB is a
 * pattern of selector.h. What no rule names has a field of its own, "@name"; so has what a rule gives an empty field.
 * First come the rules of --fields, then those that were in force when the run was recorded (INSIDEME_FIELDS), then what the
 * source says (INSIDEME_FIELD), then rules for what every program has.
 */
#ifndef INSIDEME_FIELDS_H
#define INSIDEME_FIELDS_H

#include "analyzer/model/model.h"

struct field_rule {
	char *pattern;
	char *field;			/* "": the function's own, "@name" */
};

struct field_rules {
	struct field_rule *rules;
	size_t nr;
};

/*
 * Add the rules in @text, separated by semicolons or newlines; a line that begins with # is a comment. What is no rule is
 * told on stderr as "@where:LINE: ..." and left out.
 */
void field_rules_parse(struct field_rules *rules, const char *where, const char *text);
/* The same of @text, or of the file that it names as @FILE, from the folder @cwd (NULL: this one). Return: 0, or -1 after an error(). */
int field_rules_read(struct field_rules *rules, const char *where, const char *text, const char *cwd);
/* What the first rule that matches gives: a field, "" or, where none does, NULL. */
const char *field_rules_find(const struct field_rules *rules, struct function *function);
void field_rules_release(struct field_rules *rules);

/*
 * Fill function->field of all functions, once, and said_field by what all but the rules for every program give. @given: the value of --fields, NULL: none.
 * Return: 0, or -1 after an error().
 */
int fields_apply(struct model *model, const char *given);

/* What @function, of a run that is saved as a profile, was for there. */
void field_say(struct model *model, struct function *function, const char *field);

#endif
