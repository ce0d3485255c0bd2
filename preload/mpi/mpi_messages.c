/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a call transferred, by the roles of its arguments. */
#include "preload/mpi/mpi_messages.h"

#include <string.h>

#include "insideme_log.h"
#include "preload/mpi/mpi_comms.h"
#include "preload/mpi/mpi_requests.h"

#define MPI_CALL_ROLES(name, lower, upper, nr_c, nr_fortran, roles) roles,
static const char *const roles_of[] = { MPI_CALLS(MPI_CALL_ROLES) };

static int place_of(const struct mpi_arguments *arguments, char role)
{
	const char *roles = roles_of[arguments->id], *found = strchr(roles, role);

	return found ? (int)(found - roles) : -1;
}

static int int_at(const struct mpi_arguments *arguments, int place)
{
	return argument_int(arguments->values[place], arguments->variant);
}

/* Counts by rank of the communicator, or of the other group. */
static int64_t sum_of_counts(const struct mpi_arguments *arguments, int place, const struct comm *comm)
{
	const int *counts = (const int *)arguments->values[place];
	int64_t sum = 0;

	for (int i = 0; counts && i < comm->nr_peers; i++)
		sum += counts[i];
	return counts ? sum : -1;
}

/*
 * Bytes of the first buffer. Where that is MPI_IN_PLACE, its count and type mean nothing; and in collectives
 * of intercommunicators they mean something in one of the groups only. Return: -1: not known.
 */
static int64_t buffer_bytes(const struct mpi_arguments *arguments, const struct comm *comm,
			    bool is_collective)
{
	const int buffer = place_of(arguments, 'b'), type = place_of(arguments, 't');
	const int count = place_of(arguments, 'n'), counts = place_of(arguments, 'N');
	int64_t elements;
	int bytes;

	if (type < 0 || (is_collective && comm->is_inter))
		return -1;
	if (is_collective && buffer >= 0 &&
	    argument_is_in_place(arguments->values[buffer], arguments->variant))
		return -1;
	elements = count >= 0 ? int_at(arguments, count) : sum_of_counts(arguments, counts, comm);
	if (elements <= 0)
		return elements;
	if (mpi.type_size(argument_type(arguments->values[type], arguments->variant), &bytes) || bytes < 0)
		return -1;
	return elements * bytes;
}

static void know_bytes(struct mpi_message *message, int64_t bytes)
{
	message->is_size_known = bytes >= 0;
	message->bytes = bytes >= 0 ? (uint64_t)bytes : 0;
}

/* A receive's count is the most that may come. What came is in the status, where the program asks for one. */
static void know_received(const struct mpi_arguments *arguments, const struct comm *comm, int type,
			  struct mpi_message *message)
{
	const int place = place_of(arguments, 'S');
	int64_t copy[4];
	const void *status =
		place >= 0 ? argument_status(arguments->values[place], arguments->variant, copy) : NULL;
	int count = 0, bytes = 0;
	word handle = argument_type(arguments->values[type], arguments->variant);

	know_bytes(message, -1);
	if (!status)
		return;
	if (message->peer == LOG_PEER_ANY)
		message->peer = comm_world_rank(comm, status_source(status));
	if (mpi.get_count(status, handle, &count) == 0 && count >= 0 && mpi.type_size(handle, &bytes) == 0)
		know_bytes(message, (int64_t)count * bytes);
}

/* False: to or from nobody. */
static bool know_peer(const struct mpi_arguments *arguments, const struct comm *comm, int place,
		      struct mpi_message *message)
{
	int peer = int_at(arguments, place);

	if (peer == mpi.proc_null)
		return false;
	message->peer = peer == mpi.any_source ? LOG_PEER_ANY : comm_world_rank(comm, peer);
	return true;
}

static struct mpi_message sent(const struct mpi_arguments *arguments, const struct comm *comm)
{
	struct mpi_message message = { .direction = LOG_MESSAGE_SENT, .label = comm->label };

	know_bytes(&message, buffer_bytes(arguments, comm, false));
	return message;
}

/* The last type of the roles is the received one's, also where one buffer is replaced. */
static int received_type(const struct mpi_arguments *arguments)
{
	const char *roles = roles_of[arguments->id];

	return (int)(strrchr(roles, 't') - roles);
}

/* Return: how many messages, 0 to 2. */
static int point_to_point(const struct mpi_arguments *arguments, const struct comm *comm,
			  struct mpi_message *messages)
{
	const int destination = place_of(arguments, 'd'), source = place_of(arguments, 's');
	int nr = 0;

	if (destination >= 0) {
		messages[nr] = sent(arguments, comm);
		nr += know_peer(arguments, comm, destination, &messages[nr]);
	}
	if (source >= 0) {
		messages[nr] =
			(struct mpi_message){ .direction = LOG_MESSAGE_RECEIVED, .label = comm->label };
		if (know_peer(arguments, comm, source, &messages[nr]))
			know_received(arguments, comm, received_type(arguments), &messages[nr++]);
	}
	return nr;
}

static bool is_fortran(const struct mpi_arguments *arguments)
{
	return arguments->variant != FROM_C;
}

static word request_at(const struct mpi_arguments *arguments, int place, int index)
{
	return stored_handle(arguments->values[place], index, arguments->variant);
}

/* The starts of persistent requests. Return: how many of @nr requests are known and were reported. */
static int starts(const struct mpi_recorder *recorder, const struct mpi_arguments *arguments, int place,
		  int nr)
{
	struct mpi_message message;
	int nr_known = 0;

	for (int i = 0; i < nr; i++) {
		if (!request_find(request_at(arguments, place, i), is_fortran(arguments), &message))
			continue;
		message.is_further = nr_known++ > 0;
		recorder->message(&message);
	}
	return nr_known;
}

/* Of a call that succeeded. Return: how many messages were reported. */
static int report(const struct mpi_recorder *recorder, const struct mpi_arguments *arguments)
{
	const int at_comm = place_of(arguments, 'c'), created = place_of(arguments, 'o');
	const int request = place_of(arguments, 'r'), started = place_of(arguments, 'q');
	struct mpi_message messages[2];
	struct comm *comm;
	int nr;

	if (arguments->id == CALL_Startall)
		return starts(recorder, arguments, place_of(arguments, 'R'),
			      int_at(arguments, place_of(arguments, 'l')));
	if (arguments->id == CALL_Start)
		return starts(recorder, arguments, started, 1);
	comm = at_comm >= 0
		       ? comm_find(recorder, argument_comm(arguments->values[at_comm], arguments->variant))
		       : NULL;
	if (!comm)
		return 0;
	if (created >= 0)
		comm_created(recorder, comm->handle,
			     stored_comm(arguments->values[created], arguments->variant));
	if (place_of(arguments, 'g') >= 0) {
		nr = point_to_point(arguments, comm, messages);
	} else {
		messages[0] = (struct mpi_message){ .direction = LOG_MESSAGE_COLLECTIVE,
						    .label = comm->label,
						    .peer = LOG_PEER_NONE };
		know_bytes(&messages[0], buffer_bytes(arguments, comm, true));
		nr = 1;
	}
	if (request >= 0) { /* a persistent one, which transfers nothing before it is started */
		if (nr)
			request_add(request_at(arguments, request, 0), is_fortran(arguments), messages);
		return 0;
	}
	for (int i = 0; i < nr; i++) {
		messages[i].is_further = i > 0;
		recorder->message(&messages[i]);
	}
	return nr;
}

void messages_before(const struct mpi_arguments *arguments)
{
	if (arguments->id == CALL_Finalize)
		mpi_stop();
	if (!mpi.is_up)
		return;
	if (arguments->id == CALL_Comm_free || arguments->id == CALL_Comm_disconnect)
		comm_forget(stored_comm(arguments->values[0], arguments->variant));
	else if (arguments->id == CALL_Request_free)
		request_forget(request_at(arguments, 0, 0), is_fortran(arguments));
}

void messages_after(const struct mpi_recorder *recorder, const struct mpi_arguments *arguments,
		    bool has_succeeded)
{
	static const struct mpi_message none = { .direction = LOG_MESSAGE_NONE, .peer = LOG_PEER_NONE };
	static int is_rank_known;

	mpi_look();
	if (mpi.is_up && !__atomic_exchange_n(&is_rank_known, 1, __ATOMIC_RELAXED))
		recorder->rank(mpi.rank, mpi.nr_ranks);
	if (!mpi.is_up || !has_succeeded || !report(recorder, arguments))
		recorder->message(&none);
}
