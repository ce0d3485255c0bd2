/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When a run began: what the times of its processes are counted from. */
#ifndef INSIDEME_TIME_ORIGINS_H
#define INSIDEME_TIME_ORIGINS_H

#include "analyzer/model/model.h"

/* Sort the model's processes by run and start; set their origins, insideme-run's too, and when each run began. */
void origins_set(struct model *model);

#endif
