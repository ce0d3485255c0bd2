/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was lost where a process's own log does not say it as a number. */
#ifndef INSIDEME_PROFILE_TOTALS_H
#define INSIDEME_PROFILE_TOTALS_H

#include "analyzer/profile/profile.h"

/* As they are saved; losses: in logs that several programs share, in insideme-run's own, and in such of saved profiles. */
struct profile_totals losses_totals(const struct model *model);
/* How long recording was switched off. */
double losses_off_ns(const struct process *process);

#endif
