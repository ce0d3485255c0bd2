/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much of the threads' time between model->from and model->to single calls cover. */
#ifndef INSIDEME_SLICE_COVERAGE_H
#define INSIDEME_SLICE_COVERAGE_H

#include "analyzer/model/model.h"

/* Percent, a lower bound. NAN: no thread lived then. Reads all slices from model->from on. */
double coverage_percent(struct model *model);

/* How long @thread lived; if threads shared a record, all of them together. */
double thread_lived_ns(const struct thread *thread);

#endif
