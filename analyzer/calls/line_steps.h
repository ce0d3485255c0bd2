/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The lines that ran, one after the other (INSIDEME_LINE_EVENTS, insideme-cc --line-events), in the order of
 * time. A line that a thread begins again right after itself, as the head of a loop does, is one step: so
 * debuggers step too. Memory does not grow with their number.
 */
#pragma once

#include "analyzer/lines/code_places.h"
#include "analyzer/model/model.h"

struct line_step {
	uint64_t index;			/* from 0 */
	int64_t time;			/* model time */
	struct thread *thread;
	struct code_level *level;	/* the innermost function there, which has a name, and its line */
	uint64_t stack_addr;		/* where the stack of the function around it ends */
	bool is_entry;			/* the function begins */
	uint64_t rss_bytes, vms_bytes;	/* then; LOG_NONE: not read */
};

/* Has a process of the model line events? */
bool line_steps_are_in(const struct model *model);

struct line_steps;
struct line_steps *line_steps_open(struct model *model);
/* Return: false at the end. */
bool line_steps_next(struct line_steps *steps, struct line_step *step);
/* Line events so far of code without a line. */
uint64_t line_steps_nr_unknown(const struct line_steps *steps);
void line_steps_close(struct line_steps *steps);

/*
 * Add to the model's lines how often each began, and by how much RSS grew until the next line of the same
 * call began. Return: has the model line events?
 */
bool line_visits_read(struct model *model);
