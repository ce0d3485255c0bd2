/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A call waits from its begin until the other side begins, but not longer than it lasts. A call of several
 * messages waits for the one that comes last.
 */
#include "analyzer/calls/mpi_waits.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/hashtable.h"
#include "analyzer/calls/mpi_matching.h"

struct reader {
	const struct mpi_matching *matching;
	struct mpi_waits *waits;
	struct hashtable table, recorded;
};

/* The longest wait of one call so far. */
struct longest {
	enum mpi_wait_kind kind;
	double waiting_ns;
	const struct transfer *call, *other;
};

static double until(const struct transfer *call, int64_t time)
{
	const int64_t end = time < call->end ? time : call->end;

	return end > call->begin ? (double)(end - call->begin) : 0;
}

static void consider(struct longest *longest, enum mpi_wait_kind kind, const struct transfer *call,
		     const struct transfer *other, double waiting_ns)
{
	if (waiting_ns > longest->waiting_ns)
		*longest = (struct longest){ kind, waiting_ns, call, other };
}

/* A send that was over before the receive was posted waited for no rank. */
static bool consider_send(struct longest *longest, const struct transfer *call, const struct transfer *start)
{
	const struct transfer *receive = start ? start->partner : NULL;

	if (receive && receive->started < call->end)
		consider(longest, MPI_LATE_RECEIVER, call, receive, until(call, receive->started));
	return receive;
}

static bool consider_collective(struct longest *longest, const struct transfer *call,
				const struct transfer *start)
{
	const struct collective *together = start ? start->together : NULL;
	const bool is_root = together && together->root == start;
	const struct transfer *other = NULL;

	if (!together)
		return call->collective == LOG_NOBODY_WAITS;
	if (start->collective == LOG_ALL_WAIT_FOR_ALL ||
	    (start->collective == LOG_ROOT_WAITS_FOR_ALL && is_root))
		other = together->last;
	else if (start->collective == LOG_ALL_WAIT_FOR_ROOT && !is_root)
		other = together->root;
	if (other && other->rank != call->rank)
		consider(longest, MPI_LATE_RANK, call, other, until(call, other->begin));
	return true;
}

/* MPI_Test and the like return at once. */
static bool only_asks(const struct transfer *transfer)
{
	const struct function *function = transfer->path ? transfer->path->function : NULL;

	return function && function->name &&
	       strncmp(function->name, "MPI_Test", strlen("MPI_Test")) == 0;
}

/* Return: is it known how long the call waited for this? */
static bool consider_transfer(const struct mpi_matching *matching, struct longest *longest,
			      const struct transfer *transfer)
{
	const bool completes = transfer->flags & LOG_TRANSFER_REQUEST;
	const struct transfer *start =
		completes ? transfer_start(&matching->ranks[transfer->rank], transfer) : transfer;

	if (transfer->flags & (LOG_TRANSFER_STARTS | LOG_TRANSFER_GONE) || only_asks(transfer))
		return true;
	switch (transfer->route->direction) {
	case LOG_MESSAGE_SENT:
		return consider_send(longest, transfer, start);
	case LOG_MESSAGE_COLLECTIVE:
		return consider_collective(longest, transfer, start);
	default:
		if (transfer->partner)
			consider(longest, MPI_LATE_SENDER, transfer, transfer->partner,
				 until(transfer, transfer->partner->begin));
		return transfer->partner;
	}
}

static bool is_same(const void *item, const void *key)
{
	const struct mpi_wait *a = item, *b = key;

	return a->kind == b->kind && a->process == b->process && a->other == b->other &&
	       a->function == b->function && a->caller == b->caller;
}

static void add(struct reader *reader, const struct longest *longest)
{
	const struct tree_node *path = longest->call ? longest->call->path : NULL;
	struct mpi_wait key = { .kind = longest->kind }, *wait;
	uint64_t hash;

	if (!path || !path->function)
		return;
	key.process = reader->matching->ranks[longest->call->rank].process;
	key.other = reader->matching->ranks[longest->other->rank].process;
	key.function = path->function;
	key.caller = path->parent ? path->parent->function : NULL;
	hash = hash_pair(hash_pair((uint64_t)(uintptr_t)key.process, (uint64_t)(uintptr_t)key.other),
			 hash_pair((uint64_t)(uintptr_t)key.function,
				   (uint64_t)(uintptr_t)key.caller + (uint64_t)key.kind));
	wait = hashtable_find(&reader->table, hash, is_same, &key);
	if (!wait) {
		wait = xcalloc(1, sizeof(*wait));
		*wait = key;
		hashtable_add(&reader->table, hash, wait);
	}
	wait->nr_calls++;
	wait->waiting_ns += longest->waiting_ns;
	wait->longest_ns = fmax(wait->longest_ns, longest->waiting_ns);
}

static bool is_same_path(const void *item, const void *key)
{
	const struct mpi_recorded *a = item, *b = key;

	return a->function == b->function && a->caller == b->caller;
}

static void count(struct reader *reader, const struct mpi_recorded *more)
{
	const uint64_t hash =
		hash_pair((uint64_t)(uintptr_t)more->function, (uint64_t)(uintptr_t)more->caller);
	struct mpi_recorded *found = hashtable_find(&reader->recorded, hash, is_same_path, more);

	if (!found) {
		found = xcalloc(1, sizeof(*found));
		found->function = more->function;
		found->caller = more->caller;
		hashtable_add(&reader->recorded, hash, found);
	}
	found->nr_calls += more->nr_calls;
	found->nr_unknown += more->nr_unknown;
}

static void count_call(struct reader *reader, const struct transfer *first, bool is_known)
{
	const struct tree_node *path = first->path;

	if (!path || !path->function)
		return;
	count(reader, &(struct mpi_recorded){
			      .function = path->function,
			      .caller = path->parent ? path->parent->function : NULL,
			      .nr_calls = !(first->flags & LOG_TRANSFER_REQUEST),
			      .nr_unknown = !is_known,
		      });
}

/* Transfers of one call follow each other. */
static void read_rank(struct reader *reader, const struct mpi_rank *rank)
{
	for (size_t i = 0, next; i < rank->nr; i = next) {
		const struct transfer *first = &rank->transfers[i];
		struct longest longest = { .waiting_ns = 0 };
		bool is_known = true;

		for (next = i; next < rank->nr && rank->transfers[next].begin == first->begin &&
			       rank->transfers[next].thread == first->thread;
		     next++)
			is_known &= consider_transfer(reader->matching, &longest, &rank->transfers[next]);
		add(reader, &longest);
		count_call(reader, first, is_known);
	}
}

static int longest_first(const void *a, const void *b)
{
	const struct mpi_wait *x = a, *y = b;

	return (x->waiting_ns < y->waiting_ns) - (x->waiting_ns > y->waiting_ns);
}

/* Ranks of a saved profile are of no log. */
static void add_saved(struct reader *reader, const struct rank_sums *saved)
{
	struct mpi_waits *waits = reader->waits;

	for (size_t i = 0; i < saved->nr_recorded; i++)
		count(reader, &saved->recorded[i]);
	waits->nr_matched += saved->nr_matched;
	waits->nr_unmatched += saved->nr_unmatched;
	waits->is_cut |= saved->is_cut;
}

static void list(struct reader *reader, const struct rank_sums *saved)
{
	const size_t nr_saved = saved ? saved->nr_waits : 0;
	struct mpi_waits *waits = reader->waits;
	const struct mpi_wait *wait;
	size_t at = 0;

	waits->waits = xcalloc(reader->table.nr_items + nr_saved + 1, sizeof(*waits->waits));
	while ((wait = hashtable_next(&reader->table, &at)))
		waits->waits[waits->nr++] = *wait;
	for (size_t i = 0; i < nr_saved; i++)
		waits->waits[waits->nr++] = saved->waits[i];
	qsort(waits->waits, waits->nr, sizeof(*waits->waits), longest_first);
}

static void list_recorded(struct reader *reader)
{
	struct mpi_waits *waits = reader->waits;
	const struct mpi_recorded *recorded;
	size_t at = 0;

	waits->recorded = xcalloc(reader->recorded.nr_items + 1, sizeof(*waits->recorded));
	while ((recorded = hashtable_next(&reader->recorded, &at)))
		waits->recorded[waits->nr_recorded++] = *recorded;
}

void mpi_waits_read(struct model *model, struct mpi_waits *waits)
{
	struct mpi_matching matching;
	struct reader reader = { .matching = &matching, .waits = waits };

	mpi_match(model, &matching);
	*waits = (struct mpi_waits){ .nr_matched = matching.nr_matched,
				     .nr_unmatched = matching.nr_unmatched,
				     .until = matching.until,
				     .is_cut = matching.until != INT64_MAX };
	waits->nr_clocks = host_clocks_find(&matching, model, &waits->clocks);
	host_clocks_apply(&matching, model, waits->clocks, waits->nr_clocks);
	collectives_find_last(&matching);
	for (size_t i = 0; i < matching.nr_ranks; i++)
		read_rank(&reader, &matching.ranks[i]);
	if (model->saved_ranks)
		add_saved(&reader, model->saved_ranks);
	list(&reader, model->saved_ranks);
	list_recorded(&reader);
	hashtable_release(&reader.table);
	hashtable_release(&reader.recorded);
	mpi_matching_release(&matching);
}

void mpi_waits_release(struct mpi_waits *waits)
{
	free(waits->waits);
	free(waits->recorded);
	free(waits->clocks);
}
