/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the hooks cost on this machine, for whoever reads the log to take it out. */
#ifndef INSIDEME_COST_H
#define INSIDEME_COST_H

#include "thread.h"

/*
 * Measure the hooks on a record of their own, and note in @log what they cost: some 30 us. For the constructor, with the
 * process's way of timing known; signals are blocked meanwhile.
 */
void cost_measure(struct log_header *log);

#endif
