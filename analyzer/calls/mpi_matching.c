/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matches messages and collectives by their order: sorted lists of both sides, side by side. */
#include "analyzer/calls/mpi_matching.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/hashtable.h"

#define GAPS_MOST 64

/* From @time on it is not known which messages receives got: then one took a message of any source or tag. */
struct gap {
	uint32_t communicator; /* 0: any */
	int32_t peer, tag;     /* LOG_PEER_ANY, LOG_TAG_ANY: any */
	int64_t time;
};

struct gaps {
	struct gap list[GAPS_MOST];
	size_t nr;
};

struct named {
	uint32_t world;
	const char *name;
	uint32_t number;
};

struct matcher {
	struct mpi_matching *matching;
	struct message_end *sends;
	size_t nr_sends;
	struct hashtable worlds, ranks, communicators;
	struct gaps gaps; /* of the rank that is read */
};

/* ---- names: each gets a number from 1 ---- */

static bool is_named(const void *item, const void *key)
{
	const struct named *a = item, *b = key;

	return a->world == b->world && strcmp(a->name, b->name) == 0;
}

static uint32_t number_of(struct hashtable *table, uint32_t world, const char *name)
{
	const struct named key = { world, name, 0 };
	const uint64_t hash = hash_pair(hash_string(name), world);
	struct named *found = hashtable_find(table, hash, is_named, &key);

	if (!found) {
		found = xcalloc(1, sizeof(*found));
		*found = (struct named){ world, name, (uint32_t)table->nr_items + 1 };
		hashtable_add(table, hash, found);
	}
	return found->number;
}

/* 0: it has no name that is alike in all ranks. */
static uint32_t communicator_of(struct matcher *matcher, const struct mpi_rank *rank,
				const struct transfer *transfer)
{
	const uint32_t label = transfer->route->label;
	const char *name = label < rank->process->nr_labels ? rank->process->labels[label] : NULL;

	return name && name[0] != '?' ? number_of(&matcher->communicators, rank->world, name) : 0;
}

/* ---- ranks ---- */

struct rank_key {
	uint32_t world;
	int32_t rank;
	uint32_t index;
};

static bool is_rank(const void *item, const void *key)
{
	const struct rank_key *a = item, *b = key;

	return a->world == b->world && a->rank == b->rank;
}

/* UINT32_MAX: the rank is not in the model, or several processes have it. */
static uint32_t find_rank(const struct matcher *matcher, uint32_t world, int32_t rank)
{
	const struct rank_key key = { world, rank, 0 };
	const struct rank_key *found =
		hashtable_find(&matcher->ranks, hash_pair(world, (uint32_t)rank), is_rank, &key);

	return found && !matcher->matching->ranks[found->index].is_ambiguous ? found->index : UINT32_MAX;
}

static void enter_rank(struct matcher *matcher, uint32_t index)
{
	struct mpi_rank *rank = &matcher->matching->ranks[index];
	const struct rank_key key = { rank->world, rank->process->header.rank, index };
	const uint64_t hash = hash_pair(key.world, (uint32_t)key.rank);
	struct rank_key *found = hashtable_find(&matcher->ranks, hash, is_rank, &key);

	if (found) {
		rank->is_ambiguous = matcher->matching->ranks[found->index].is_ambiguous = true;
		return;
	}
	found = xcalloc(1, sizeof(*found));
	*found = key;
	hashtable_add(&matcher->ranks, hash, found);
}

static int by_begin(const void *a, const void *b)
{
	const struct transfer *x = *(struct transfer *const *)a, *y = *(struct transfer *const *)b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

static void list_starts(struct mpi_rank *rank)
{
	rank->starts = xcalloc(rank->nr + 1, sizeof(*rank->starts));
	for (size_t i = 0; i < rank->nr; i++)
		if (!(rank->transfers[i].flags & LOG_TRANSFER_REQUEST))
			rank->starts[rank->nr_starts++] = &rank->transfers[i];
	qsort(rank->starts, rank->nr_starts, sizeof(*rank->starts), by_begin);
}

static void read_ranks(struct matcher *matcher, struct model *model)
{
	struct mpi_matching *matching = matcher->matching;

	matching->until = transfers_until(model);
	for (size_t i = 0; i < model->nr_processes; i++) {
		struct process *process = model->processes[i];
		struct mpi_rank rank = { .process = process };

		rank.nr = transfers_read(process, matching->until, &rank.transfers);
		if (!rank.nr)
			continue;
		rank.world = number_of(&matcher->worlds, process->run, process->header.launch_id);
		for (size_t j = 0; j < rank.nr; j++)
			rank.transfers[j].rank = (uint32_t)matching->nr_ranks;
		list_starts(&rank);
		APPEND(matching->ranks, matching->nr_ranks) = rank;
		enter_rank(matcher, (uint32_t)matching->nr_ranks - 1);
	}
}

/* The first start that began at @time or later. */
static size_t starts_from(const struct mpi_rank *rank, int64_t time)
{
	return PARTITION_POINT(i, rank->nr_starts, rank->starts[i]->begin < time);
}

struct transfer *transfer_start(const struct mpi_rank *rank, const struct transfer *completion)
{
	for (size_t i = starts_from(rank, completion->started);
	     i < rank->nr_starts && rank->starts[i]->begin == completion->started; i++) {
		struct transfer *start = rank->starts[i];

		if (start->route == completion->route && start->tag == completion->tag &&
		    start->collective == completion->collective)
			return start;
	}
	return NULL;
}

/* ---- what is not known ---- */

static void add_gap(struct gaps *gaps, const struct gap *more)
{
	for (size_t i = 0; i < gaps->nr; i++) {
		struct gap *gap = &gaps->list[i];

		if (gap->communicator != more->communicator || gap->peer != more->peer ||
		    gap->tag != more->tag)
			continue;
		gap->time = more->time < gap->time ? more->time : gap->time;
		return;
	}
	if (gaps->nr < GAPS_MOST) {
		gaps->list[gaps->nr++] = *more;
		return;
	}
	gaps->list[0] = (struct gap){ 0, LOG_PEER_ANY, LOG_TAG_ANY, INT64_MIN };
}

static bool is_in_gap(const struct gaps *gaps, const struct message_end *end, int32_t peer)
{
	for (size_t i = 0; i < gaps->nr; i++) {
		const struct gap *gap = &gaps->list[i];

		if (end->time >= gap->time &&
		    (!gap->communicator || gap->communicator == end->communicator) &&
		    (gap->peer == LOG_PEER_ANY || gap->peer == peer) &&
		    (gap->tag == LOG_TAG_ANY || gap->tag == end->tag))
			return true;
	}
	return false;
}

static bool is_receive(const struct transfer *transfer)
{
	return transfer->route->direction == LOG_MESSAGE_RECEIVED;
}

/* Such a receive takes its message when another call completes it. */
static bool is_open_receive(const struct transfer *transfer)
{
	return is_receive(transfer) && transfer->flags & LOG_TRANSFER_STARTS;
}

static struct gap gap_of(struct matcher *matcher, const struct mpi_rank *rank,
			 const struct transfer *transfer)
{
	return (struct gap){ communicator_of(matcher, rank, transfer), transfer->route->peer, transfer->tag,
			     transfer->started };
}

static int by_time(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Receives that were started and are not known to be over: those of an instant at which more began than
 * ended. */
static void find_open_receives(struct matcher *matcher, struct mpi_rank *rank)
{
	int64_t *ended = xcalloc(rank->nr + 1, sizeof(*ended));
	size_t nr = 0;

	for (size_t i = 0; i < rank->nr; i++)
		if (is_receive(&rank->transfers[i]) && rank->transfers[i].flags & LOG_TRANSFER_REQUEST)
			ended[nr++] = rank->transfers[i].started;
	qsort(ended, nr, sizeof(*ended), by_time);
	for (size_t i = 0, at = 0, next; i < rank->nr_starts; i = next) {
		const int64_t time = rank->starts[i]->begin;
		size_t nr_started = 0, nr_ended = 0;

		for (next = i; next < rank->nr_starts && rank->starts[next]->begin == time; next++)
			nr_started += is_open_receive(rank->starts[next]);
		for (; at < nr && ended[at] <= time; at++)
			nr_ended += ended[at] == time;
		for (size_t j = i; nr_started > nr_ended && j < next; j++) {
			const struct gap gap = gap_of(matcher, rank, rank->starts[j]);

			if (is_open_receive(rank->starts[j]))
				add_gap(&matcher->gaps, &gap);
		}
	}
	free(ended);
}

static void find_gaps(struct matcher *matcher, struct mpi_rank *rank)
{
	matcher->gaps.nr = 0;
	find_open_receives(matcher, rank);
	for (size_t i = 0; i < rank->nr; i++) {
		struct transfer *transfer = &rank->transfers[i];
		const struct gap gap = gap_of(matcher, rank, transfer);

		if (is_receive(transfer) && !(transfer->flags & (LOG_TRANSFER_STARTS | LOG_TRANSFER_GONE)) &&
		    (gap.peer == LOG_PEER_ANY || gap.tag == LOG_TAG_ANY))
			add_gap(&matcher->gaps, &gap);
	}
}

/* ---- messages ---- */

static void cancel_sends(const struct mpi_rank *rank)
{
	for (size_t i = 0; i < rank->nr; i++) {
		const struct transfer *transfer = &rank->transfers[i];
		struct transfer *start = transfer->flags & LOG_TRANSFER_GONE && !is_receive(transfer)
						 ? transfer_start(rank, transfer)
						 : NULL;

		if (start)
			start->flags |= LOG_TRANSFER_GONE;
	}
}

/* False: the other rank is not in the model, or the communicator has no name. */
static bool know_end(struct matcher *matcher, uint32_t index, struct transfer *transfer,
		     struct message_end *end)
{
	const struct mpi_rank *rank = &matcher->matching->ranks[index];
	const uint32_t other = find_rank(matcher, rank->world, transfer->route->peer);
	const bool is_sent = transfer->route->direction == LOG_MESSAGE_SENT;

	*end = (struct message_end){
		.transfer = transfer,
		.from = is_sent ? index : other,
		.to = is_sent ? other : index,
		.communicator = communicator_of(matcher, rank, transfer),
		.tag = transfer->tag,
		.time = transfer->started,
	};
	return other != UINT32_MAX && end->communicator && transfer->tag != LOG_TAG_ANY;
}

static void add_send(struct matcher *matcher, uint32_t index, struct transfer *transfer)
{
	struct message_end end;

	if (transfer->flags & (LOG_TRANSFER_REQUEST | LOG_TRANSFER_GONE) ||
	    !know_end(matcher, index, transfer, &end))
		return;
	APPEND(matcher->sends, matcher->nr_sends) = end;
}

static void add_receive(struct matcher *matcher, uint32_t index, struct transfer *transfer)
{
	struct mpi_matching *matching = matcher->matching;
	struct message_end end;

	if (transfer->flags & (LOG_TRANSFER_STARTS | LOG_TRANSFER_GONE))
		return;
	if (!know_end(matcher, index, transfer, &end)) {
		matching->nr_unmatched += is_receive(transfer);
		return;
	}
	end.is_doubtful = is_in_gap(&matcher->gaps, &end, transfer->route->peer);
	APPEND(matching->receives, matching->nr_receives) = end;
}

static void add_part(struct matcher *matcher, const struct mpi_rank *rank, struct transfer *transfer)
{
	struct mpi_matching *matching = matcher->matching;
	const uint32_t communicator = communicator_of(matcher, rank, transfer);

	if (transfer->flags & LOG_TRANSFER_REQUEST)
		return;
	if (!communicator) {
		matching->nr_unmatched++;
		return;
	}
	APPEND(matching->parts, matching->nr_parts) =
		(struct collective_part){ .transfer = transfer, .communicator = communicator };
}

static void list_rank(struct matcher *matcher, uint32_t index)
{
	struct mpi_rank *rank = &matcher->matching->ranks[index];

	if (rank->is_ambiguous) {
		matcher->matching->nr_unmatched += rank->nr;
		return;
	}
	find_gaps(matcher, rank);
	cancel_sends(rank);
	for (size_t i = 0; i < rank->nr; i++) {
		struct transfer *transfer = &rank->transfers[i];

		if (transfer->route->direction == LOG_MESSAGE_SENT)
			add_send(matcher, index, transfer);
		else if (transfer->route->direction == LOG_MESSAGE_COLLECTIVE)
			add_part(matcher, rank, transfer);
		else
			add_receive(matcher, index, transfer);
	}
}

static int compare_streams(const struct message_end *a, const struct message_end *b)
{
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	if (a->communicator != b->communicator)
		return a->communicator < b->communicator ? -1 : 1;
	return (a->tag > b->tag) - (a->tag < b->tag);
}

static int by_stream(const void *a, const void *b)
{
	const struct message_end *x = a, *y = b;
	const int order = compare_streams(x, y);

	return order ? order : (x->time > y->time) - (x->time < y->time);
}

/* If by one clock a message arrives before it was sent, the order that was assumed is wrong.
 */
static bool is_possible(const struct mpi_matching *matching, const struct message_end *send,
			const struct message_end *receive)
{
	return !processes_share_host(matching->ranks[send->from].process,
				     matching->ranks[send->to].process) ||
	       receive->transfer->end >= send->transfer->begin;
}

/*
 * How many sends there are that are known to be taken by these receives. If there are as many receives as
 * sends, no other receive has taken one. If records are missing, some sends are not known.
 */
static size_t nr_certain(const struct mpi_matching *matching, size_t nr_sends,
			 const struct message_end *receives, size_t nr_receives)
{
	const uint64_t *losses = matching->ranks[receives->from].process->header.losses;
	size_t nr_taken = 0, nr_before_doubt = 0;
	bool is_doubtful = false;

	for (size_t i = 0; i < nr_receives; i++) {
		is_doubtful |= receives[i].is_doubtful;
		nr_taken += is_receive(receives[i].transfer);
		nr_before_doubt += !is_doubtful && is_receive(receives[i].transfer);
	}
	if (!is_doubtful ||
	    (nr_taken == nr_sends && matching->until == INT64_MAX && !losses[LOG_LOST_TRANSFERS]))
		return nr_sends;
	return nr_before_doubt < nr_sends ? nr_before_doubt : nr_sends;
}

/* Match one stream. A probe finds the message that the next receive gets. */
static void match_stream(struct mpi_matching *matching, struct message_end *sends, size_t nr_sends,
			 struct message_end *receives, size_t nr_receives)
{
	bool is_sound = true;

	nr_sends = nr_certain(matching, nr_sends, receives, nr_receives);
	for (size_t i = 0, at = 0; i < nr_receives && at < nr_sends; i++) {
		is_sound &= is_possible(matching, &sends[at], &receives[i]);
		at += is_receive(receives[i].transfer);
	}
	for (size_t i = 0, at = 0; i < nr_receives; i++) {
		const bool takes = is_receive(receives[i].transfer);

		if (is_sound && at < nr_sends) {
			receives[i].transfer->partner = sends[at].transfer;
			if (takes)
				sends[at].transfer->partner = receives[i].transfer;
			matching->nr_matched += takes;
		} else {
			matching->nr_unmatched += takes;
		}
		at += takes;
	}
}

static void match_messages(struct matcher *matcher)
{
	struct mpi_matching *matching = matcher->matching;
	struct message_end *sends = matcher->sends, *receives = matching->receives;
	size_t send = 0;

	if (matcher->nr_sends)
		qsort(sends, matcher->nr_sends, sizeof(*sends), by_stream);
	if (matching->nr_receives)
		qsort(receives, matching->nr_receives, sizeof(*receives), by_stream);
	for (size_t i = 0, next; i < matching->nr_receives; i = next) {
		size_t end;

		for (next = i; next < matching->nr_receives; next++)
			if (compare_streams(&receives[i], &receives[next]))
				break;
		while (send < matcher->nr_sends && compare_streams(&sends[send], &receives[i]) < 0)
			send++;
		for (end = send; end < matcher->nr_sends; end++)
			if (compare_streams(&sends[end], &receives[i]))
				break;
		match_stream(matching, sends + send, end - send, receives + i, next - i);
		send = end;
	}
}

/* ---- collectives ---- */

static int by_rank(const void *a, const void *b)
{
	const struct collective_part *x = a, *y = b;

	if (x->communicator != y->communicator)
		return x->communicator < y->communicator ? -1 : 1;
	if (x->transfer->rank != y->transfer->rank)
		return x->transfer->rank < y->transfer->rank ? -1 : 1;
	return (x->transfer->begin > y->transfer->begin) - (x->transfer->begin < y->transfer->begin);
}

static int by_number(const void *a, const void *b)
{
	const struct collective_part *x = a, *y = b;

	if (x->communicator != y->communicator)
		return x->communicator < y->communicator ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return (x->transfer->rank > y->transfer->rank) - (x->transfer->rank < y->transfer->rank);
}

static void number_parts(struct mpi_matching *matching)
{
	struct collective_part *parts = matching->parts;

	for (size_t i = 1; i < matching->nr_parts; i++)
		if (parts[i].communicator == parts[i - 1].communicator &&
		    parts[i].transfer->rank == parts[i - 1].transfer->rank)
			parts[i].number = parts[i - 1].number + 1;
}

static size_t group_end(const struct mpi_matching *matching, size_t at)
{
	size_t end = at;

	while (end < matching->nr_parts &&
	       matching->parts[end].communicator == matching->parts[at].communicator &&
	       matching->parts[end].number == matching->parts[at].number)
		end++;
	return end;
}

static void join_group(struct mpi_matching *matching, size_t at, size_t end, struct collective *collective)
{
	for (size_t i = at; i < end; i++) {
		struct transfer *part = matching->parts[i].transfer;

		part->together = collective;
		if (part->collective != LOG_ALL_WAIT_FOR_ALL && part->collective != LOG_NOBODY_WAITS &&
		    matching->ranks[part->rank].process->header.rank == part->root)
			collective->root = part;
	}
}

/* Is a rank of the program not reported, or without a log? It may have been the last one everywhere. */
static bool lacks_ranks(const struct mpi_matching *matching)
{
	for (size_t i = 0; i < matching->nr_ranks; i++)
		if (matching->ranks[i].process->header.nr_ranks > (int32_t)matching->nr_ranks)
			return true;
	return false;
}

/* All ranks of a communicator take part in its first collective. One without all of them was cut off. */
static void match_collectives(struct mpi_matching *matching)
{
	size_t nr_members = lacks_ranks(matching) ? SIZE_MAX : 0;

	if (!matching->nr_parts)
		return;
	qsort(matching->parts, matching->nr_parts, sizeof(*matching->parts), by_rank);
	number_parts(matching);
	qsort(matching->parts, matching->nr_parts, sizeof(*matching->parts), by_number);
	matching->collectives = xcalloc(matching->nr_parts, sizeof(*matching->collectives));
	for (size_t i = 0, end; i < matching->nr_parts; i = end) {
		end = group_end(matching, i);
		if (matching->parts[i].number == 0 && nr_members != SIZE_MAX)
			nr_members = end - i;
		if (end - i < nr_members) {
			matching->nr_unmatched += end - i;
			continue;
		}
		join_group(matching, i, end, &matching->collectives[matching->nr_collectives++]);
		matching->nr_matched += end - i;
	}
}

void collectives_find_last(struct mpi_matching *matching)
{
	for (size_t i = 0; i < matching->nr_collectives; i++)
		matching->collectives[i].last = NULL;
	for (size_t i = 0; i < matching->nr_parts; i++) {
		const struct transfer *part = matching->parts[i].transfer;
		struct collective *collective = part->together;

		if (collective && (!collective->last || part->begin > collective->last->begin))
			collective->last = part;
	}
}

void mpi_match(struct model *model, struct mpi_matching *matching)
{
	struct matcher matcher = { .matching = matching };

	*matching = (struct mpi_matching){ 0 };
	read_ranks(&matcher, model);
	for (size_t i = 0; i < matching->nr_ranks; i++)
		list_rank(&matcher, (uint32_t)i);
	match_messages(&matcher);
	match_collectives(matching);
	free(matcher.sends);
	hashtable_release(&matcher.worlds);
	hashtable_release(&matcher.ranks);
	hashtable_release(&matcher.communicators);
}

void mpi_matching_release(struct mpi_matching *matching)
{
	for (size_t i = 0; i < matching->nr_ranks; i++) {
		free(matching->ranks[i].transfers);
		free(matching->ranks[i].starts);
	}
	free(matching->ranks);
	free(matching->receives);
	free(matching->parts);
	free(matching->collectives);
}
