/* SPDX-License-Identifier: GPL-3.0-or-later */
/* First page: how the processes of a run ended, worst first. */
#include "analyzer/summary/summary.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/cells/process_tree.h"

#define LINES_MAX	6
#define PROGRAMS_MAX	5

/* Processes of one program that ended alike. */
struct kind {
	const struct member *member;	/* the first of them */
	size_t nr;
	char end[64];
};

/* A lower weight is worse. */
static int weight(const struct member *member)
{
	return member_is_killed(member) ? 0 : member_has_failed(member) ? 1 : 2;
}

/* Worst first. Kinds with the same end are side by side, the most frequent program first. */
static int compare_kinds(const void *a, const void *b)
{
	const struct kind *x = a, *y = b;
	int order = weight(x->member) - weight(y->member);

	if (order == 0)
		order = strcmp(x->end, y->end);
	if (order == 0)
		order = (x->nr < y->nr) - (x->nr > y->nr);
	return order ? order : (x->member > y->member) - (x->member < y->member);
}

static struct kind *list_kinds(const struct process_tree *tree, size_t *nr)
{
	struct kind *kinds = NULL;
	char buffer[64];

	*nr = 0;
	for (size_t i = 0; i < tree->nr; i++) {
		const struct member *member = &tree->members[i];
		const char *end = member_end_text(member, buffer, sizeof(buffer));
		size_t k = 0;

		while (k < *nr && (strcmp(kinds[k].end, end) != 0 ||
				   strcmp(member_program(kinds[k].member), member_program(member)) != 0))
			k++;
		if (k == *nr) {
			kinds = xgrow(kinds, (*nr)++, sizeof(*kinds));
			kinds[k].member = member;
			strcpy(kinds[k].end, end);
		}
		kinds[k].nr++;
	}
	if (*nr)
		qsort(kinds, *nr, sizeof(*kinds), compare_kinds);
	return kinds;
}

static char *kind_text(struct document *document, const struct kind *kind)
{
	if (kind->nr > 1)
		return document_text(document, "%s x %zu", member_program(kind->member), kind->nr);
	if (kind->member->first && kind->member->first->header.rank >= 0)
		return document_text(document, "%s, pid %u, rank %d", member_program(kind->member),
				     kind->member->pid, kind->member->first->header.rank);
	return document_text(document, "%s, pid %u", member_program(kind->member), kind->member->pid);
}

/*
 * Make a line of all kinds that ended like the first: "SIGSEGV worker, pid 4251; sh x 3". @nr_told: how
 * many of @kinds that is
 */
static char *line_text(struct document *document, const struct kind *kinds, size_t nr, int width,
		       size_t *nr_told)
{
	char *text = document_text(document, "%-*s  ", width, kinds->end);
	size_t more = 0, i;

	for (i = 0; i < nr && strcmp(kinds[i].end, kinds->end) == 0; i++) {
		if (i < PROGRAMS_MAX)
			text = document_text(document, "%s%s%s", text, i ? "; " : "",
					     kind_text(document, &kinds[i]));
		else
			more += kinds[i].nr;
	}
	*nr_told = i;
	if (more)
		text = document_text(document, "%s; %zu more", text, more);
	if (kinds->member->end_kind != END_SILENT || !member_is_killed(kinds->member))
		return text;
	return document_text(document, "%s (%s)", text, kinds->member->last->model->nr_monitors ?
			     "SIGKILL or a raw exit: insideme-run did not see which" :
			     kinds->member->last->header.rank >= 0 ?
			     "SIGKILL, a raw exit or exec: insideme-run mpirun ... would know" :
			     "SIGKILL, a raw exit or exec: insideme-run would know");
}

static void add_lines(struct document *document, const struct kind *kinds, size_t nr)
{
	int width = 0;
	size_t nr_told, nr_lines = 0, more = 0;

	for (size_t i = 0; i < nr; i++)
		if ((int)strlen(kinds[i].end) > width)
			width = (int)strlen(kinds[i].end);
	for (size_t i = 0; i < nr; i += nr_told) {
		char *text = line_text(document, kinds + i, nr - i, width, &nr_told);

		if (nr_lines++ < LINES_MAX)
			document_add(document, i ? "" : "Processes", text)->wraps = true;
		for (size_t k = i; k < i + nr_told && nr_lines > LINES_MAX; k++)
			more += kinds[k].nr;
	}
	if (more)
		document_add(document, "", document_text(document, "%zu more with other ends", more));
}

void summary_processes(struct document *document, struct report *report)
{
	struct process_tree tree;
	struct kind *kinds;
	size_t nr;

	process_tree_init(&tree, report->model);
	if (tree.nr > 1) {
		kinds = list_kinds(&tree, &nr);
		add_lines(document, kinds, nr);
		free(kinds);
	}
	process_tree_release(&tree);
}

#define KERNEL_NS 100e6 /* the kernel's own time to start a program is not worth a word, */
#define KERNEL_PERCENT 10 /* nor is a small part */

static const char *kernel_text(struct document *document, const struct usage *all)
{
	const double percent = 100 * all->system_ns / all->cpu_ns;

	if (!(all->system_ns >= KERNEL_NS && percent >= KERNEL_PERCENT && percent <= 100))
		return "";
	return document_text(document, ", %.0f %% in the kernel", percent);
}

const char *summary_cpu(struct document *document, const struct model *model, double *all_ns)
{
	struct process_tree tree;
	struct usage all = { 0 };
	size_t nr = 0, nr_all = 0;
	bool has_past = false; /* before insideme-run looked at it */

	process_tree_init(&tree, model);
	for (size_t i = 0; i < tree.nr; i++) {
		struct usage usage;

		if (tree.members[i].unseen)
			continue;
		nr_all++;
		has_past |= process_fact(tree.members[i].last, "attached") != NULL;
		usage = member_usage(&tree.members[i]);
		if (isnan(usage.cpu_ns))
			continue;
		usage_add(&all, &usage);
		nr++;
	}
	process_tree_release(&tree);
	*all_ns = nr && nr == nr_all ? all.cpu_ns : NAN;
	if (!nr)
		return "";
	return document_text(document, "CPU time of %s%s: %s%s",
			     nr < nr_all ? document_text(document, "%zu of %zu processes", nr, nr_all)
					 : "all",
			     has_past ? " since they began" : "",
			     document_number(document, UNIT_NS, all.cpu_ns), kernel_text(document, &all));
}
