/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far a report can be trusted, as a list: what was lost, repaired, bent, or cannot be named. */
#ifndef INSIDEME_DOUBTS_H
#define INSIDEME_DOUBTS_H

#include "analyzer/model/model.h"
#include "analyzer/tables/document.h"

struct finding {
	const char *name;	/* "broken_calls"; ends with its unit */
	enum unit unit;
	double number;
	const char *text;	/* a sentence for people, with the number in it */
	bool is_doubt;		/* the first page shows it too */
};

struct findings {
	struct document *document;	/* owns the texts */
	struct finding *list;		/* freed by findings_release() */
	size_t nr;
};

/* @model: with names. What is 0 is left out, what was not measured is not there. */
void findings_collect(struct findings *findings, struct document *document, const struct model *model);
void findings_release(struct findings *findings);

/* For what collects: one more of them; a number for its text; those about times, and about live blocks. */
void findings_add(struct findings *findings, const char *name, enum unit unit, double number, bool is_doubt,
		  const char *text);
char *findings_number(struct findings *findings, enum unit unit, double number);
void findings_of_times(struct findings *findings, const struct model *model);
void findings_of_heap(struct findings *findings, const struct model *model);

#endif
