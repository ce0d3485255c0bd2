/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a process used in all: from insideme-run, which saw its end, and from the samples. */
#ifndef INSIDEME_PROCESS_USAGE_H
#define INSIDEME_PROCESS_USAGE_H

#include "analyzer/model/model.h"

struct usage {
	double cpu_ns;			/* NAN: not known; so are the others */
	double user_ns;
	double system_ns;
	double peak_rss_bytes;		/* known to be reached; without the log's own pages */
};

/* The kernel's counters go on through an exec: of several images ask the last; only the peak is of this one. */
struct usage usage_of_process(const struct process *process);
struct usage usage_of_unseen(const struct unseen_process *unseen);
/* Sums, known where both are; and the larger peak of those known. */
void usage_add(struct usage *sum, const struct usage *usage);

#endif
