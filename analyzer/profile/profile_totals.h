/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Losses that are no counters of a process's own log. */
#pragma once

#include "analyzer/profile/profile.h"

/*
 * As they are saved. losses: those in logs that several programs share, in logs of insideme-run, and in such
 * logs of saved profiles.
 */
struct profile_totals losses_totals(const struct model *model);
/* How long recording was switched off. */
double losses_off_ns(const struct process *process);
