/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the figures of live blocks do not know. */
#include <inttypes.h>

#include "findings.h"
#include "heaps.h"

static void tell_no_stacks(struct findings *findings, const struct process *process)
{
	const char *off = process_fact(process, "heap_sample_off");

	if (off)
		findings_add(findings, "heap_not_sampled", UNIT_NONE, 1, true, document_text(findings->document,
			"no stacks of allocations were taken in process %u: %s", process->header.pid, off));
}

void findings_of_heap(struct findings *findings, const struct model *model)
{
	uint64_t unknown = 0;
	uint32_t shift = 0;

	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct log_header *header = &model->processes[i]->header;

		tell_no_stacks(findings, model->processes[i]);
		if (!heap_is_live(model->processes[i]))
			continue;
		unknown += header->heap_unknown_frees;
		if (shift < header->heap_shift)
			shift = header->heap_shift;
	}
	if (unknown)
		findings_add(findings, "unknown_frees", UNIT_COUNT, (double)unknown, false, document_text(findings->document,
			"%" PRIu64 " frees were of blocks from before the recorder, from before a fork, or of nobody", unknown));
	if (shift > 0 && shift < 32)
		findings_add(findings, "live_blocks_sampled", UNIT_NONE, (double)(1u << shift), true, document_text(findings->document,
			"of live blocks only 1 in %u, where there were most, is known for lack of memory: what lived and was not freed "
			"is an estimate", 1u << shift));
}
