/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that the figures do not include. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/read/heap_read.h"
#include "analyzer/summary/doubts.h"

/* A size as in settings: 32M, 32m. */
static double bytes_of(const char *text)
{
	static const char suffixes[] = "KMGT";
	char *end;
	double bytes = strtod(text, &end);
	const char *suffix = *end ? strchr(suffixes, toupper((unsigned char)*end)) : NULL;

	return suffix ? ldexp(bytes, 10 * (int)(suffix - suffixes + 1)) : bytes;
}

/* Processes whose RSS was above --pss-limit. */
static void add_no_shares(struct findings *findings, const struct model *model)
{
	const char *limit = NULL;
	size_t nr = 0;

	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct rowset *rows = process_rowset(model->processes[i], "process");
		int column = rows ? rowset_column(rows, "rss_bytes") : -1;
		const char *own = process_fact(model->processes[i], "setting.INSIDEME_PSS_LIMIT");
		double most = 0;

		for (size_t row = 0; column >= 0 && row < rows->nr_rows; row++) {
			uint64_t value = rowset_value(rows, row, (uint32_t)column);

			if (value != LOG_NONE)
				most = fmax(most, (double)value);
		}
		if (!own || most <= bytes_of(own))
			continue;
		limit = own;
		nr++;
	}
	if (nr)
		findings_add(
			findings, "pss_limit_bytes", UNIT_BYTES, bytes_of(limit), false,
			document_text(
				findings->document,
				"PSS and USS were not read while RSS was above %s, "
				"as in %zu process%s: reading them would make the program wait (--pss-limit)",
				limit, nr, nr == 1 ? "" : "es"));
}

void findings_of_heap(struct findings *findings, const struct model *model)
{
	uint64_t unknown = 0;
	uint32_t shift = 0;

	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct log_header *header = &model->processes[i]->header;

		if (!heap_is_live(model->processes[i]))
			continue;
		unknown += header->heap_unknown_frees;
		if (shift < header->heap_shift)
			shift = header->heap_shift;
	}
	if (unknown)
		findings_add(
			findings, "unknown_frees", UNIT_COUNT, (double)unknown, false,
			document_text(findings->document,
				      "%" PRIu64
				      " frees were of blocks allocated before the recorder started or before "
				      "a fork, or never allocated",
				      unknown));
	if (shift > 0 && shift < 32)
		findings_add(
			findings, "live_blocks_sampled", UNIT_NONE, (double)(1u << shift), true,
			document_text(
				findings->document,
				"to save memory, only 1 in %u live blocks was recorded in the process that "
				"had most: live and not freed blocks are estimates",
				1u << shift));
	add_no_shares(findings, model);
}
