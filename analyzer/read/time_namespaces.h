/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes of a run with a monotonic clock of their own: a container may have one. */
#pragma once

#include "analyzer/model/model.h"

/*
 * Convert the clock of each process in another time namespace to that of its run's insideme-run, or first
 * process. Before times of several logs are compared.
 */
void time_namespaces_join(struct model *model);
