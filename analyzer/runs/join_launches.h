/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A parallel launch whose ranks could not find each other, and so recorded several runs: one per host,
 * where the launcher (Hydra) gives no id that all hosts share.
 */
#pragma once

#include "analyzer/runs/run.h"

/*
 * If ranks are missing in @run, add the logs of runs beside it that belong to the same launch: same
 * command, size and id, overlapping time, other ranks. Each such run is reported on stderr.
 */
void launch_join(struct run *run);
