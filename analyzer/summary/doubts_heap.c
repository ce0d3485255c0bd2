/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that the figures do not include. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/read/heap_read.h"
#include "analyzer/summary/doubts.h"

#define HEAP_WINDOW_BYTES 16384.0 /* the recorder leaves out whole ones */

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
		const char *own = process_fact(model->processes[i], "setting.INSIDEME_PSS_LIMIT");
		const struct rowset *rows = own ? process_rowset(model->processes[i], "process") : NULL;
		int column = rows ? rowset_column(rows, "rss_bytes") : -1;
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

/*
 * The map of live blocks was at its limit in @process. Allocations are exact; each free in a window that is
 * known stands for 2^shift. Windows are chosen by a hash, each with the probability 1/2^shift, so the
 * variance of what was freed is (2^shift - 1) times the sum of squares of what was freed in each window: with
 * n windows of the heap that is freed^2 / n if they were used alike.
 */
static void add_windows(struct findings *findings, const struct model *model, const struct process *process)
{
	const uint32_t one_in = 1u << process->header.heap_shift;
	const double windows = fmax(1, (double)process->header.heap_peak_bytes / HEAP_WINDOW_BYTES);
	const double error = (double)model->heap.freed_bytes * sqrt((one_in - 1) / windows);

	findings_add(findings, "live_blocks_sampled", UNIT_NONE, one_in, true,
		     document_text(
			     findings->document,
			     "to save memory, only 1 in %u windows of 16 KiB of the heap was recorded in the "
			     "process that had most: live and not freed blocks are estimates; the standard "
			     "error of all their bytes together, from some %.0f windows, is about %s",
			     one_in, fmax(1, windows / one_in),
			     findings_number(findings, UNIT_BYTES, error)));
}

void findings_of_heap(struct findings *findings, const struct model *model)
{
	const struct process *most = NULL;
	uint64_t unknown = 0;

	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct process *process = model->processes[i];
		const uint32_t shift = process->header.heap_shift;

		if (!heap_is_live(process))
			continue;
		unknown += process->header.heap_unknown_frees;
		if (shift > (most ? most->header.heap_shift : 0) && shift < 32)
			most = process;
	}
	if (unknown)
		findings_add(
			findings, "unknown_frees", UNIT_COUNT, (double)unknown, false,
			document_text(findings->document,
				      "%" PRIu64
				      " frees were of blocks allocated before the recorder started or before "
				      "a fork, or never allocated",
				      unknown));
	if (most)
		add_windows(findings, model, most);
	add_no_shares(findings, model);
}
