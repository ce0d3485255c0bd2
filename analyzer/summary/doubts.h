/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far a report can be trusted: a list of what was lost, repaired, distorted, or has no name. */
#pragma once

#include "analyzer/model/model.h"
#include "analyzer/tables/document.h"

struct finding {
	const char *name;	/* "broken_calls"; ends with the unit */
	enum unit unit;
	double number;
	const char *text;	/* a sentence for people, including the number */
	bool is_doubt;		/* the first page shows it too */
};

struct findings {
	struct document *document;	/* owns the texts */
	struct finding *list;		/* freed by findings_release() */
	size_t nr;
};

/* Collect all findings, without those whose number is 0 or was not measured. @model: with names resolved. */
void findings_collect(struct findings *findings, struct document *document, const struct model *model);
void findings_release(struct findings *findings);
/* Give the document those that are doubts, for formats that have a place for them. */
void doubts_tell(struct document *document, const struct model *model);

/* Settings by which calls were left out: "INSIDEME_FOCUS=a, INSIDEME_DEPTH=3". NULL: all are recorded */
const char *settings_that_left_out(struct document *document, const struct process *process);

/*
 * For the files that collect findings: add one; make the text of a number; collect those about times, ranks
 * and memory.
 */
void findings_add(struct findings *findings, const char *name, enum unit unit, double number, bool is_doubt,
		  const char *text);
char *findings_number(struct findings *findings, enum unit unit, double number);
void findings_of_times(struct findings *findings, const struct model *model);
void findings_of_ranks(struct findings *findings, const struct model *model);
void findings_of_heap(struct findings *findings, const struct model *model);
