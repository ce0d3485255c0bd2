/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What sampled stacks leave open: blocks of which none was a sample. */
#include "analyzer/views/heap_unseen.h"

#include "analyzer/tables/document.h"

uint64_t heap_sample_distance(const struct model *model)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < model->nr_processes; i++)
		if (model->processes[i]->heap.live_records && bytes < model->processes[i]->header.heap_sample_bytes)
			bytes = model->processes[i]->header.heap_sample_bytes;
	return bytes;
}

/* Of blocks that come to 3 times the mean distance of samples, 95 % have one: exp(-3). At a distance of 1 all have. */
const char *heap_unseen_text(struct document *document, const struct model *model)
{
	uint64_t distance = model->heap.nr_samples ? heap_sample_distance(model) : 0;

	return distance <= 1 ? NULL : document_text(document, "less than %s (95 %%)",
		document_number(document, UNIT_BYTES, 3 * (double)distance));
}
