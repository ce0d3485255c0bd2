/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How often each line ran: the coverage counters in the logs of runs (insideme-cc --lines), turned into
 * lines by gcov, or as an earlier report kept them in RUN/lines.
 */
#pragma once

#include "analyzer/model/model.h"

/* Has a log of the run (NO_RUN: of any) counters? */
#define NO_RUN UINT32_MAX
bool line_counts_are_in(const struct model *model, uint32_t run);

/*
 * Do some runs have counters, and others none? Then lines have the counts of the former, which the counters
 * slowed down, and the times and blocks of the latter.
 */
bool line_counts_are_beside(const struct model *model);

/*
 * Add the counts of all processes to the model's lines, after these have what samples know. Warns of each
 * run whose counts are not all known.
 */
void line_counts_read(struct model *model);

/* Only keep them in their runs, as line_counts_read() does too where all processes of a run have ended. */
void line_counts_keep(struct model *model);
