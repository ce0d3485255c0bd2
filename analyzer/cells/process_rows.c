/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of the view of processes. */
#include "analyzer/cells/process_rows.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"

/* Rows in the making. */
struct list {
	struct process_row *rows;
	size_t nr;
	bool folded;
};

/* Processes that make up one row. */
struct group {
	const struct member **members;
	size_t nr;
	char *programs;
	char end[64];
};

static double duration_ns(const struct member *member)
{
	return member->end == NO_TIME ? NAN : (double)(member->end - member->begin);
}

static size_t add_row(struct list *list, const struct group *group, unsigned int depth, size_t parent)
{
	struct process_row *row = &list->rows[list->nr];

	*row = (struct process_row){
		.member = group->members[0],
		.nr_alike = group->nr,
		.depth = depth,
		.parent = depth ? parent : list->nr,
		.longest_ns = NAN,
		.usage = member_usage(group->members[0]),
	};
	for (size_t i = 0; i < group->nr; i++) {
		const struct member *member = group->members[i];
		const struct usage usage = member_usage(member);

		row->longest_ns = fmax(row->longest_ns, duration_ns(member));
		row->nr_threads += member->nr_threads;
		row->calls += member->calls;
		row->functions_ns += member->functions_ns;
		row->alloc_bytes += member->alloc_bytes;
		row->log_bytes += member->log_bytes;
		if (i)
			usage_add(&row->usage, &usage);
	}
	return list->nr++;
}

static struct group *find_group(struct group *groups, size_t nr, const char *programs, const char *end)
{
	for (size_t i = 0; i < nr; i++)
		if (strcmp(groups[i].programs, programs) == 0 && strcmp(groups[i].end, end) == 0)
			return &groups[i];
	return NULL;
}

/* Put @member in its group, or in a new one. Return: the groups, moved perhaps */
static struct group *add_to_group(const struct list *list, struct group *groups, size_t *nr,
				  const struct member *member)
{
	struct group *group = NULL;
	char *programs = member_programs(member), buffer[64];
	const char *end = member_end_text(member, buffer, sizeof(buffer));

	if (list->folded)
		group = find_group(groups, *nr, programs, end);
	if (group) {
		free(programs);
	} else {
		groups = xgrow(groups, *nr, sizeof(*groups));
		group = &groups[(*nr)++];
		group->programs = programs;
		strcpy(group->end, end);
	}
	APPEND(group->members, group->nr) = member;
	return groups;
}

static void add_groups(struct list *list, struct group *groups, size_t nr, unsigned int depth, size_t parent);

/* All children of the group's members, in the order of their begin where there is one member. */
static void add_children(struct list *list, const struct group *group, unsigned int depth, size_t parent)
{
	struct group *groups = NULL;
	size_t nr = 0;

	for (size_t i = 0; i < group->nr; i++)
		for (const struct member *child = group->members[i]->child; child; child = child->next)
			groups = add_to_group(list, groups, &nr, child);
	add_groups(list, groups, nr, depth, parent);
}

static void add_groups(struct list *list, struct group *groups, size_t nr, unsigned int depth, size_t parent)
{
	for (size_t i = 0; i < nr; i++) {
		size_t row = add_row(list, &groups[i], depth, parent);

		add_children(list, &groups[i], depth + 1, row);
		free(groups[i].members);
		free(groups[i].programs);
	}
	free(groups);
}

struct process_row *process_rows(const struct process_tree *tree, bool folded, size_t *nr)
{
	struct list list = { .rows = xcalloc(tree->nr + 1, sizeof(*list.rows)), .folded = folded };
	struct group *groups = NULL;
	size_t nr_groups = 0;

	for (size_t i = 0; i < tree->nr; i++)
		if (!tree->members[i].parent)
			groups = add_to_group(&list, groups, &nr_groups, &tree->members[i]);
	add_groups(&list, groups, nr_groups, 0, 0);
	*nr = list.nr;
	return list.rows;
}

static int weight(const struct process_row *row)
{
	return member_is_killed(row->member) ? 2 : member_has_failed(row->member);
}

static double cpu_ns(const struct process_row *row)
{
	return isnan(row->usage.cpu_ns) ? 0 : row->usage.cpu_ns;
}

static int by_weight(const void *a, const void *b)
{
	const struct process_row *x = *(struct process_row *const *)a, *y = *(struct process_row *const *)b;

	if (weight(x) != weight(y))
		return weight(y) - weight(x);
	if (cpu_ns(x) != cpu_ns(y))
		return cpu_ns(x) < cpu_ns(y) ? 1 : -1;
	return x < y ? -1 : x > y;
}

size_t process_rows_limit(struct process_row *rows, size_t *nr, size_t top)
{
	const struct process_row **order = xcalloc(*nr + 1, sizeof(*order));
	bool *kept = xcalloc(*nr + 1, sizeof(*kept));
	size_t left_out = 0, to = 0;

	for (size_t i = 0; i < *nr; i++)
		order[i] = &rows[i];
	qsort(order, *nr, sizeof(*order), by_weight);
	for (size_t i = 0; i < *nr && i < top; i++) {
		size_t at = (size_t)(order[i] - rows);

		for (; !kept[at]; at = rows[at].parent)
			kept[at] = true;
	}
	for (size_t i = 0; i < *nr; i++) {
		if (kept[i])
			rows[to++] = rows[i];
		else
			left_out++;
	}
	*nr = to;
	free(order);
	free(kept);
	return left_out;
}
