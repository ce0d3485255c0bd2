/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When a run began: the origin of the times of its processes. */
#pragma once

#include "analyzer/model/model.h"

/*
 * Sort the model's processes by run and start. Set their origins, those of insideme-run too, and the start of
 * each run.
 */
void origins_set(struct model *model);
