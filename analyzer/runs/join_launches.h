/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A parallel launch whose ranks could not know of each other, and so lie in several runs: one per host where the
 * launcher (Hydra) gives no id that all hosts share.
 */
#ifndef INSIDEME_JOIN_LAUNCHES_H
#define INSIDEME_JOIN_LAUNCHES_H

#include "analyzer/runs/run.h"

/*
 * Where ranks are missing in @run, add the logs of the runs beside it that belong to the same launch: equal command,
 * size and id, overlapping time, other ranks. Each one is told on stderr.
 */
void launch_join(struct run *run);

#endif
