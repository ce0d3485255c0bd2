/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/read/sample_shares.h"

#include <stdlib.h>

#include "analyzer/base/error.h"
#include "analyzer/base/hashtable.h"
#include "analyzer/model/tree.h"
#include "analyzer/model/tree_walk.h"

static bool is_same(const void *item, const void *key)
{
	const struct sample_share *a = item, *b = key;

	return a->thread == b->thread && a->function == b->function;
}

static struct sample_share *share_at(struct hashtable *table, const struct thread *thread,
				     const struct tree_node *path)
{
	const struct sample_share key = { .thread = thread, .function = path->function->number };
	const uint64_t hash = hash_pair(thread->index, key.function);
	struct sample_share *share = hashtable_find(table, hash, is_same, &key);

	if (!share) {
		share = xcalloc(1, sizeof(*share));
		*share = key;
		hashtable_add(table, hash, share);
	}
	return share;
}

/* As samples_sum_up() does: samples in code without hooks are those of the innermost caller with hooks. */
static void add(struct hashtable *table, const struct thread_samples *samples)
{
	const struct tree_node *path = samples->path;

	while (path->function && !path->function->stats.calls)
		path = path->parent;
	if (!path->function)
		return;
	share_at(table, samples->thread, path)->self += samples->ns;
	for (; path->function; path = path->parent)
		share_at(table, samples->thread, path)->total += samples->ns;
}

static int by_function(const void *a, const void *b)
{
	const struct sample_share *left = a, *right = b;

	if (left->function != right->function)
		return left->function < right->function ? -1 : 1;
	return (left->thread->index > right->thread->index) - (left->thread->index < right->thread->index);
}

/* The samples of all processes. A recursion counts as often here as in add(). */
static void make_parts(struct sample_shares *shares, const struct model *model)
{
	double *self_ns = xcalloc(functions_count(&model->tables->functions) + 1, sizeof(*self_ns));
	double *total_ns = xcalloc(functions_count(&model->tables->functions) + 1, sizeof(*total_ns));

	for (size_t id = 1; id < model->nr_tree_nodes; id++) {
		const struct tree_node *node = tree_node(model, id);

		self_ns[node->function->number] += node->samples->ns;
		total_ns[node->function->number] += node->samples->total_ns;
	}
	for (size_t i = 0; i < shares->nr; i++) {
		struct sample_share *share = &shares->list[i];

		share->self = share->self > 0 ? share->self / self_ns[share->function] : 0;
		share->total = share->total > 0 ? share->total / total_ns[share->function] : 0;
	}
	free(self_ns);
	free(total_ns);
}

void sample_shares_read(struct sample_shares *shares, struct process *process)
{
	struct hashtable table = { 0 };
	const struct sample_share *share;
	size_t at = 0;

	*shares = (struct sample_shares){ 0 };
	if (!process->nr_thread_samples)
		return;
	for (size_t i = 0; i < process->nr_thread_samples; i++)
		add(&table, &process->thread_samples[i]);
	while ((share = hashtable_next(&table, &at)))
		APPEND(shares->list, shares->nr) = *share;
	hashtable_release(&table);
	if (shares->nr)
		qsort(shares->list, shares->nr, sizeof(*shares->list), by_function);
	make_parts(shares, process->model);
}

void sample_shares_release(struct sample_shares *shares)
{
	free(shares->list);
}

const struct sample_share *sample_shares_of(const struct sample_shares *shares,
					    const struct function *function, size_t *nr)
{
	const size_t begin = PARTITION_POINT(i, shares->nr, shares->list[i].function < function->number);

	for (*nr = 0; begin + *nr < shares->nr && shares->list[begin + *nr].function == function->number;)
		++*nr;
	return shares->list + begin;
}
