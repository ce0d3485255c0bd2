/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Missing ranks, and MPI calls that were not recorded. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/summary/doubts.h"

#define RANGES_MOST 10

static int compare_launches(const struct process *a, const struct process *b)
{
	if (a->run != b->run)
		return a->run < b->run ? -1 : 1;
	return strncmp(a->header.launch_id, b->header.launch_id, sizeof(a->header.launch_id));
}

static int by_rank(const void *a, const void *b)
{
	const struct process *x = *(struct process *const *)a, *y = *(struct process *const *)b;
	const int order = compare_launches(x, y);

	return order ? order : (x->header.rank > y->header.rank) - (x->header.rank < y->header.rank);
}

static bool is_rank(const struct process *process)
{
	return process->header.rank >= 0 && !process->header.is_rank_child;
}

/* Ranks [@from, @before) are missing: name the first few of all ranges. */
static void add_range(struct findings *findings, char **names, int nr_ranges, int from, int before)
{
	const char *old = *names ? *names : "", *comma = *names ? ", " : "";

	if (nr_ranges > RANGES_MOST)
		return;
	if (nr_ranges == RANGES_MOST)
		*names = document_text(findings->document, "%s%s...", old, comma);
	else if (before - from == 1)
		*names = document_text(findings->document, "%s%s%d", old, comma, from);
	else
		*names = document_text(findings->document, "%s%s%d to %d", old, comma, from, before - 1);
}

/* @list: the ranks of one launch, in order */
static void add_launch(struct findings *findings, struct process *const *list, size_t nr)
{
	int nr_ranks = 0, next = 0, nr_missing = 0, nr_ranges = 0;
	char *names = NULL;

	for (size_t i = 0; i < nr; i++)
		nr_ranks = list[i]->header.nr_ranks > nr_ranks ? list[i]->header.nr_ranks : nr_ranks;
	for (size_t i = 0; i <= nr; i++) {
		const int rank = i < nr ? list[i]->header.rank : nr_ranks;

		if (rank > next) {
			add_range(findings, &names, nr_ranges++, next, rank);
			nr_missing += rank - next;
		}
		next = rank >= next ? rank + 1 : next;
	}
	if (nr_missing)
		findings_add(findings, "missing_ranks", UNIT_COUNT, nr_missing, true,
			     document_text(findings->document, "no log of %d of %d ranks: %s", nr_missing,
					   nr_ranks, names));
}

static void add_missing(struct findings *findings, const struct model *model)
{
	struct process **list = xcalloc(model->nr_processes + 1, sizeof(*list));
	size_t nr = 0;

	for (size_t i = 0; i < model->nr_processes; i++)
		if (is_rank(model->processes[i]))
			list[nr++] = model->processes[i];
	qsort(list, nr, sizeof(*list), by_rank);
	for (size_t i = 0, end; i < nr; i = end) {
		for (end = i + 1; end < nr && !compare_launches(list[i], list[end]); end++)
			;
		add_launch(findings, list + i, end - i);
	}
	free(list);
}

static bool has_mpi(const struct process *process)
{
	for (size_t i = 0; i < process->nr_modules; i++) {
		const char *path = process->modules[i].object->path, *name = strrchr(path, '/');

		name = name ? name + 1 : path;
		if (strncmp(name, "libmpi.so", strlen("libmpi.so")) == 0 ||
		    strncmp(name, "libmpich.so", strlen("libmpich.so")) == 0)
			return true;
	}
	return false;
}

static bool is_unheard(const struct process *process)
{
	const char *setting = process_fact(process, "setting.INSIDEME_MPI");

	return is_rank(process) && !process->is_saved && !process->nr_messages &&
	       !(setting && strcmp(setting, "off") == 0) && has_mpi(process);
}

static char *unheard_text(struct document *document, size_t nr)
{
	return document_text(document,
			     "no MPI call was recorded in %zu of the ranks that have MPI loaded: "
			     "libinsideme-mpi.so was not preloaded, or the program looks MPI up by dlsym()",
			     nr);
}

void findings_of_ranks(struct findings *findings, const struct model *model)
{
	size_t nr_unheard = 0;

	if (!model->nr_left_out)
		add_missing(findings, model);
	for (size_t i = 0; i < model->nr_processes; i++)
		nr_unheard += is_unheard(model->processes[i]);
	if (nr_unheard)
		findings_add(findings, "ranks_without_mpi_calls", UNIT_COUNT, (double)nr_unheard, true,
			     unheard_text(findings->document, nr_unheard));
}
