/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What sampled stacks leave open: blocks of which none was a sample. */
#ifndef INSIDEME_HEAP_UNSEEN_H
#define INSIDEME_HEAP_UNSEEN_H

#include "analyzer/model/model.h"
#include "analyzer/tables/document.h"

/* Bytes from one sample to the next, on average; 0: none were asked for. */
uint64_t heap_sample_distance(const struct model *model);
/* "less than 1.50 MiB (95 %)": what may be where no sample was; NULL: nothing is. */
const char *heap_unseen_text(struct document *document, const struct model *model);

#endif
