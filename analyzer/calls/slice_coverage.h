/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much of the threads' time single calls tell of, between model->from and model->to. */
#ifndef INSIDEME_SLICE_COVERAGE_H
#define INSIDEME_SLICE_COVERAGE_H

#include "analyzer/model/model.h"

/* Percent, a lower bound; NAN: no thread lived then. Reads all slices from model->from on. */
double coverage_percent(struct model *model);

/* How long @thread lived; of threads that shared a record, all of them. */
double thread_lived_ns(const struct thread *thread);

#endif
