/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much of the threads' time between model->from and model->to single calls cover. */
#pragma once

#include "analyzer/model/model.h"

/* Percent, a lower bound. NAN: no thread lived then. Reads all slices from model->from on. */
double coverage_percent(struct model *model);

/* How long @thread lived; if threads shared a record, all of them together. */
double thread_lived_ns(const struct thread *thread);
