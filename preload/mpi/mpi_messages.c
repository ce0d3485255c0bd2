/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds out what a call transferred, by the roles of its arguments. */
#include "preload/mpi/mpi_messages.h"

#include <stddef.h>

#include "insideme_log.h"
#include "insideme_varint.h"
#include "preload/mpi/mpi_requests.h"

static int place_of(const struct mpi_arguments *arguments, char role)
{
	return role_first(arguments->id, role);
}

static word type_of(const struct mpi_arguments *arguments)
{
	return argument_type(arguments->values[place_of(arguments, 't')], arguments->variant);
}

/* -1: not known. Without elements MPI is not asked: the type may mean nothing. */
static int64_t sized(int64_t elements, word type)
{
	int bytes;

	if (elements <= 0)
		return elements;
	return mpi.type_size(type, &bytes) || bytes < 0 ? -1 : elements * bytes;
}

/* Bytes of a buffer with counts by rank or by neighbour. -1: not known. */
static int64_t sum_of_counts(const struct mpi_arguments *arguments, struct comm *comm)
{
	const int by_rank = place_of(arguments, 'N'), types = place_of(arguments, 'T');
	const int place = by_rank >= 0 ? by_rank : place_of(arguments, 'M');
	const int nr = by_rank >= 0 ? comm->nr_peers : comm_neighbours(comm);
	int64_t sum = 0, bytes;

	if (!arguments->values[place] || nr < 0)
		return nr ? -1 : 0;
	for (int i = 0; i < nr; i++) {
		bytes = stored_count(arguments, place, i);
		if (types >= 0)
			bytes = sized(bytes, stored_type(arguments->values[types], i, arguments->variant));
		if (bytes < 0)
			return -1;
		sum += bytes;
	}
	return types >= 0 ? sum : sized(sum, type_of(arguments));
}

/*
 * Between two groups the group with the root has no such buffer. Whether counts are by rank of its own group
 * or of the other depends on the call, and is not known.
 */
static bool has_buffer(const struct mpi_arguments *arguments, const struct comm *comm)
{
	const int for_root = place_of(arguments, 'B'), to_root = place_of(arguments, 'G');
	const int root = for_root >= 0 ? for_root : to_root;

	if (!comm->is_inter)
		return true;
	if (root >= 0)
		return argument_number(arguments, root) >= 0;
	return place_of(arguments, 'N') < 0 && place_of(arguments, 'A') < 0;
}

/* How many elements the buffer has. -1: not known. */
static int64_t elements_of(const struct mpi_arguments *arguments, struct comm *comm)
{
	const int count = place_of(arguments, 'n'), of_each_rank = place_of(arguments, 'A');
	const int of_each_neighbour = place_of(arguments, 'E'), partitions = place_of(arguments, 'P');
	int nr_neighbours;

	if (of_each_rank >= 0)
		return argument_count(arguments, of_each_rank) * comm->nr_peers;
	if (of_each_neighbour >= 0) {
		nr_neighbours = comm_neighbours(comm);
		return nr_neighbours < 0 ? -1 : argument_count(arguments, of_each_neighbour) * nr_neighbours;
	}
	if (count < 0)
		return 1; /* as MPI_Fetch_and_op */
	return argument_count(arguments, count) *
	       (partitions >= 0 ? argument_number(arguments, partitions) : 1);
}

/* Bytes of the first buffer. If it is MPI_IN_PLACE, its count and type have no meaning. -1: not known. */
static int64_t buffer_bytes(const struct mpi_arguments *arguments, struct comm *comm, bool is_collective)
{
	const int buffer = place_of(arguments, 'b');

	if (place_of(arguments, 't') < 0 && place_of(arguments, 'T') < 0)
		return 0; /* a barrier, a new communicator */
	if (is_collective && !has_buffer(arguments, comm))
		return -1;
	if (is_collective && buffer >= 0 &&
	    argument_is_in_place(arguments->values[buffer], arguments->variant))
		return -1;
	if (place_of(arguments, 'N') >= 0 || place_of(arguments, 'M') >= 0)
		return sum_of_counts(arguments, comm);
	return sized(elements_of(arguments, comm), type_of(arguments));
}

static void know_bytes(struct mpi_message *message, int64_t bytes)
{
	message->is_size_known = bytes >= 0;
	message->bytes = bytes >= 0 ? (uint64_t)bytes : 0;
}

void message_know_status(struct mpi_message *message, const struct comm *comm, const struct status *status)
{
	if (message->direction != LOG_MESSAGE_PROBED)
		know_bytes(message, status->bytes);
	if (message->direction == LOG_MESSAGE_FILE)
		return;
	message->peer = comm_world_rank(comm, status->source);
	message->detail = (uint32_t)zigzag(status->tag);
}

/* MPI_ANY_TAG is -1 in both; no tag is below 0. */
static uint32_t tag_at(const struct mpi_arguments *arguments, int place)
{
	const int tag = argument_number(arguments, place);

	return (uint32_t)zigzag(tag < 0 ? LOG_TAG_ANY : tag);
}

/* False: the peer is MPI_PROC_NULL. */
static bool know_peer(const struct mpi_arguments *arguments, const struct comm *comm, int place,
		      struct mpi_message *message)
{
	int peer = argument_number(arguments, place);

	if (peer == mpi.proc_null)
		return false;
	message->peer = peer == mpi.any_source ? LOG_PEER_ANY : comm_world_rank(comm, peer);
	return true;
}

static bool starts_request(const struct mpi_arguments *arguments)
{
	return place_of(arguments, 'a') >= 0 || place_of(arguments, 'r') >= 0;
}

static bool know_sent(const struct mpi_arguments *arguments, const struct comm *comm,
		      struct mpi_message *message)
{
	const int destination = place_of(arguments, 'd');

	if (destination < 0 || !know_peer(arguments, comm, destination, message))
		return false;
	message->direction = LOG_MESSAGE_SENT;
	message->detail = tag_at(arguments, place_of(arguments, 'g'));
	/* the one request of MPI_Isendrecv is taken for the receive's */
	message->is_pending = starts_request(arguments) && place_of(arguments, 's') < 0;
	return true;
}

static bool know_received(const struct mpi_arguments *arguments, const struct comm *comm,
			  struct mpi_message *message)
{
	const bool is_probe = arguments->id == CALL_Probe || arguments->id == CALL_Iprobe;
	const int source = place_of(arguments, 's');

	if (source < 0 || !know_peer(arguments, comm, source, message))
		return false;
	message->direction = is_probe ? LOG_MESSAGE_PROBED : LOG_MESSAGE_RECEIVED;
	message->detail = tag_at(arguments, role_last(arguments->id, 'g'));
	message->is_pending = starts_request(arguments);
	return true;
}

/* Does the operation leave the other rank's memory as it is? Then nothing is put there. */
static bool is_no_op(const struct mpi_arguments *arguments)
{
	const int operation = place_of(arguments, 'u');

	return operation >= 0 &&
	       argument_operation(arguments->values[operation], arguments->variant) == mpi.no_op;
}

/* One-sided. What goes both ways has one size. */
static void know_moved(struct messages *messages, const struct mpi_arguments *arguments)
{
	const int put = place_of(arguments, 'p'), got = place_of(arguments, 'h');
	const int both = place_of(arguments, 'e');
	struct mpi_message *message = &messages->list[0];

	if (!know_peer(arguments, messages->comm, put >= 0 ? put : got >= 0 ? got : both, message))
		return;
	message->direction = put >= 0 ? LOG_MESSAGE_PUT : LOG_MESSAGE_GOT;
	message->is_pending = starts_request(arguments);
	messages->nr = 1;
	if (both < 0 || is_no_op(arguments))
		return;
	messages->list[1] = *message;
	messages->list[1].direction = LOG_MESSAGE_PUT;
	messages->list[1].is_pending = false;
	messages->nr = 2;
}

static void know_collective(const struct mpi_arguments *arguments, const struct comm *comm,
			    struct mpi_message *message)
{
	const int for_root = place_of(arguments, 'B'), to_root = place_of(arguments, 'G');
	const int root = for_root >= 0 ? for_root : to_root;

	message->direction = LOG_MESSAGE_COLLECTIVE;
	message->peer = LOG_PEER_NONE;
	message->is_pending = starts_request(arguments);
	message->detail = root >= 0 ? LOG_ALL_WAIT_FOR_ROOT : LOG_ALL_WAIT_FOR_ALL;
	if (to_root >= 0)
		message->detail = LOG_ROOT_WAITS_FOR_ALL;
	if (comm->is_inter || place_of(arguments, 'z') >= 0)
		message->detail = LOG_NOBODY_WAITS;
	else if (root >= 0)
		message->detail |= (uint32_t)comm_world_rank(comm, argument_number(arguments, root)) << 2;
}

static void know_messages(struct messages *messages, const struct mpi_arguments *arguments)
{
	const struct comm *comm = messages->comm;

	messages->list[0] = messages->list[1] = (struct mpi_message){ .label = comm->label };
	if (place_of(arguments, 'w') >= 0) {
		know_moved(messages, arguments);
		return;
	}
	if (place_of(arguments, 'g') < 0) {
		know_collective(arguments, comm, &messages->list[messages->nr++]);
		return;
	}
	messages->nr += know_sent(arguments, comm, &messages->list[messages->nr]);
	messages->nr += know_received(arguments, comm, &messages->list[messages->nr]);
}

void messages_prepare(struct messages *messages, const struct mpi_arguments *arguments)
{
	const int at_comm = place_of(arguments, 'c'), at_fence = place_of(arguments, 'F');
	const int at_window = at_fence >= 0 ? at_fence : place_of(arguments, 'w');

	messages->nr = 0;
	messages->comm = NULL;
	if (at_comm >= 0 && mpi.is_up)
		messages->comm = comm_known(argument_comm(arguments->values[at_comm], arguments->variant));
	else if (at_window >= 0 && mpi.is_up)
		messages->comm =
			comm_known(argument_window(arguments->values[at_window], arguments->variant));
	if (messages->comm)
		know_messages(messages, arguments);
	else if (mpi.is_up && (place_of(arguments, 'j') >= 0 || place_of(arguments, 'y') >= 0))
		messages->list[messages->nr++] = (struct mpi_message){ .direction = LOG_MESSAGE_FILE,
								       .peer = LOG_PEER_NONE };
}

const struct mpi_message *messages_awaited(const struct messages *messages,
					   const struct mpi_arguments *arguments)
{
	return messages->comm && messages->nr && !starts_request(arguments) && place_of(arguments, 'w') < 0
		       ? &messages->list[messages->nr - 1]
		       : NULL;
}

/*
 * The count given to a receive, or to a read from a file, is a limit. How much came is in the status, if the
 * program asks for one.
 */
static bool know_outcome(const struct mpi_arguments *arguments, struct comm *comm,
			 struct mpi_message *message)
{
	const int flag = place_of(arguments, 'f'), at_status = place_of(arguments, 'S');
	struct status status;

	if (message->direction != LOG_MESSAGE_RECEIVED && message->direction != LOG_MESSAGE_PROBED &&
	    place_of(arguments, 'j') < 0) {
		know_bytes(message,
			   buffer_bytes(arguments, comm, message->direction == LOG_MESSAGE_COLLECTIVE));
		return true;
	}
	if (flag >= 0 && !stored_number(arguments, flag))
		return false;
	if (at_status >= 0 && argument_status(arguments->values[at_status], 0, arguments->variant, &status))
		message_know_status(message, comm, &status);
	return true;
}

static void remember(const struct mpi_arguments *arguments,
		     struct comm *comm, const struct mpi_message *message)
{
	const int active = place_of(arguments, 'a'), persistent = place_of(arguments, 'r');
	struct mpi_pending pending = { .message = *message };

	recorder->started(&pending);
	request_add(request_at(arguments, active >= 0 ? active : persistent, 0), comm, active < 0, &pending);
}

/* The starts of persistent requests. Return: how many of them are known and were reported. */
static int report_starts(const struct mpi_arguments *arguments)
{
	const int nr =
		arguments->id == CALL_Startall ? argument_number(arguments, place_of(arguments, 'l')) : 1;
	const int place = place_of(arguments, arguments->id == CALL_Startall ? 'R' : 'q');
	int nr_known = 0;

	for (int i = 0; i < nr; i++) {
		struct request *request = request_find(request_at(arguments, place, i));

		if (!request)
			continue;
		request->pending.message.is_further = nr_known++ > 0;
		request->is_active = true;
		recorder->message(&request->pending.message);
		recorder->started(&request->pending);
	}
	return nr_known;
}

static void note_cancel(const struct mpi_arguments *arguments)
{
	struct request *request = request_find(request_at(arguments, 0, 0));

	if (request)
		request->is_cancelled = true;
}

static void know_comm(struct messages *messages, const struct mpi_arguments *arguments)
{
	const int at_comm = place_of(arguments, 'c'), created = place_of(arguments, 'o');
	const int window = place_of(arguments, 'O'), promised = place_of(arguments, 'D');

	if (at_comm >= 0 && !messages->comm) {
		messages->comm = comm_find(argument_comm(arguments->values[at_comm], arguments->variant));
		if (messages->comm)
			know_messages(messages, arguments);
	}
	if (messages->comm && created >= 0)
		comm_created(messages->comm->handle,
			     stored_comm(arguments->values[created], arguments->variant));
	if (messages->comm && promised >= 0)
		comm_promised(messages->comm->handle,
			      stored_comm(arguments->values[promised], arguments->variant));
	if (arguments->id == CALL_Comm_create_from_group && arguments->variant == FROM_C)
		comm_of_group((const char *)arguments->values[1],
			      stored_comm(arguments->values[4], arguments->variant));
	if (messages->comm && window >= 0)
		window_created(messages->comm->handle,
			       stored_window(arguments->values[window], arguments->variant));
}

int messages_report(struct messages *messages, const struct mpi_arguments *arguments)
{
	const bool is_persistent = place_of(arguments, 'r') >= 0; /* nothing moves before it is started */
	int nr = 0;

	if (arguments->id == CALL_Start || arguments->id == CALL_Startall)
		return report_starts(arguments);
	if (arguments->id == CALL_Cancel)
		note_cancel(arguments);
	know_comm(messages, arguments);
	for (int i = 0; i < messages->nr; i++) {
		struct mpi_message *message = &messages->list[i];

		if (!know_outcome(arguments, messages->comm, message))
			continue;
		message->is_further = nr > 0;
		if (message->is_pending)
			remember(arguments, messages->comm, message);
		if (!is_persistent)
			recorder->message(message);
		nr += !is_persistent;
	}
	return nr;
}
