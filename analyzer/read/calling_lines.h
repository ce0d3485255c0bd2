/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lines that calls came from, as hooks recorded them (INSIDEME_CALL_LINES): their number and time.
 *
 * The time of a line is that of its calls, without the hooks' cost. The time of a function beside the calls
 * of its lines is its rest: its own code, and calls that have no hooks, or that timing auto only counts. In
 * a recursion, only the calls of the outermost one count for times. So a function's lines and its rest add
 * up to its time.
 */
#pragma once

#include "analyzer/lines/lines.h"

/* Did the processes of the run (NO_RUN: any) record them? */
bool calling_lines_are_in(const struct model *model, uint32_t run);

/* Add those of runs to the model's lines. @is_read: [run] whether it is one of these. */
void calling_lines_read(struct model *model, const bool *is_read);
