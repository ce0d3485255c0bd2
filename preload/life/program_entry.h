/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program without hooks in its first ms. Most end before they have anything for a log, which would cost them more
 * than all that they do: so a program enters itself in a log that the run's programs of a host share, and opens its
 * own only after some ms, or when there is something to record: a call, a thread.
 */
#ifndef INSIDEME_PROGRAM_ENTRY_H
#define INSIDEME_PROGRAM_ENTRY_H

#include <stdbool.h>

#include "preload/common/run/process_facts.h"
#include "preload/common/run/process_id.h"
#include "preload/common/run/run.h"

/*
 * Enter this process in the shared log of @run, which is mapped if it is not yet, and made if it is not there.
 * Constructor only. @us_ticks as run_us_ticks() has them, not 0, unless the log is mapped. Return: the entry, published,
 * or NULL: this process needs a log of its own now.
 */
struct log_program *program_entry_enter(struct run *run, const struct process_id *id,
					const struct facts *facts, uint64_t us_ticks);

/* The texts of an entry. */
void program_entry_facts(const struct log_program *program, struct facts *facts);

#endif
