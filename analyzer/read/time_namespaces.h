/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes of a run whose monotonic clock is another one: containers may have their own. */
#ifndef INSIDEME_TIME_NAMESPACES_H
#define INSIDEME_TIME_NAMESPACES_H

#include "analyzer/model/model.h"

/*
 * Set the clock of each process in another time namespace back to that of its run's insideme-run, or first process. To be
 * called before times of several logs are compared.
 */
void time_namespaces_join(struct model *model);

#endif
