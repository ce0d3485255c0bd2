/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stacks that were copied when a process got a fatal signal. */
#pragma once

#include "analyzer/cells/view_context.h"
#include "analyzer/tables/document.h"

/* A table of them, with the functions and lines of each; in text none if there are none. */
void stacks_add_copies(struct document *document, struct report *report);

/* "main > run > step, at step.c:12": where the process got the signal that ended it; NULL: not known. */
const char *stacks_crash_text(struct document *document, struct process *process);
