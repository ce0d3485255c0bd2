/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds out which requests a call completed, by what it stored in the program's arguments. */
#include "preload/mpi/mpi_completions.h"

#include <string.h>

#include "insideme_log.h"
#include "preload/mpi/mpi_memory.h"
#include "preload/mpi/mpi_messages.h"

static struct request **room_for(struct completions *completions, int nr)
{
	return nr <= COMPLETIONS_FEW ? completions->few : pages_new(sizeof(struct request *) * (size_t)nr);
}

void completions_begin(struct completions *completions, const struct mpi_arguments *arguments)
{
	const int place = role_first(arguments->id, 'W'), at_nr = role_first(arguments->id, 'l');
	int nr;

	completions->nr = 0;
	if (place < 0 || !mpi.is_up)
		return;
	nr = at_nr < 0 ? 1 : argument_number(arguments, at_nr);
	completions->requests = nr > 0 ? room_for(completions, nr) : NULL;
	completions->nr = completions->requests ? nr : 0;
	for (int i = 0; i < completions->nr; i++)
		completions->requests[i] = request_claim(request_at(arguments, place, i));
}

const struct mpi_message *completions_awaited(const struct completions *completions)
{
	for (int i = 0; i < completions->nr; i++)
		if (completions->requests[i] && completions->requests[i]->is_active)
			return &completions->requests[i]->pending.message;
	return NULL;
}

/* The message of a completed request, as far as known. Return: NULL: it was cancelled. */
static const struct mpi_message *received(const struct request *request, const struct status *status,
					  struct mpi_message *message)
{
	*message = request->pending.message;
	message->is_pending = false;
	if (status && status->is_cancelled)
		return NULL;
	if (message->direction != LOG_MESSAGE_RECEIVED)
		return message;
	if (status)
		message_know_status(message, request->comm, status);
	else if (request->is_cancelled)
		message->peer = LOG_PEER_ANY; /* or from none, which only its status would show */
	return message;
}

static void complete(struct request *request, const struct mpi_arguments *arguments, bool is_recorded,
		     int status_index)
{
	const int one = role_first(arguments->id, 'S'), each = role_first(arguments->id, 'X');
	struct mpi_message message;
	struct status status;
	bool is_known = false;

	if (one >= 0)
		is_known = argument_status(arguments->values[one], 0, arguments->variant, &status);
	else if (each >= 0)
		is_known =
			argument_status(arguments->values[each], status_index, arguments->variant, &status);
	if (request->is_active && is_recorded)
		recorder->completed(&request->pending,
				    received(request, is_known ? &status : NULL, &message));
	request->is_active = false;
	request->is_cancelled = false;
	if (!request->is_persistent || arguments->id == CALL_Request_free)
		request_remove(request);
	else
		request_unclaim(request);
}

static void complete_at(struct completions *completions, const struct mpi_arguments *arguments, int index,
			int status_index)
{
	if (index < 0 || index >= completions->nr || !completions->requests[index])
		return;
	complete(completions->requests[index], arguments, completions->is_recorded, status_index);
	completions->requests[index] = NULL;
}

static int index_of(const struct mpi_arguments *arguments, int place, int i)
{
	return stored_place(arguments->values[place], i, arguments->variant);
}

static void complete_those(struct completions *completions, const struct mpi_arguments *arguments)
{
	const int flag = role_first(arguments->id, 'f'), one = role_first(arguments->id, 'i');
	const int some = role_first(arguments->id, 'k'), which = role_first(arguments->id, 'I');

	if (flag >= 0 && !stored_number(arguments, flag))
		return;
	if (one >= 0) {
		complete_at(completions, arguments, index_of(arguments, one, 0), 0);
	} else if (some >= 0) {
		for (int i = 0; i < stored_number(arguments, some); i++)
			complete_at(completions, arguments, index_of(arguments, which, i), i);
	} else {
		for (int i = 0; i < completions->nr; i++)
			complete_at(completions, arguments, i, i);
	}
}

void completions_end(struct completions *completions, const struct mpi_arguments *arguments, bool is_recorded,
		     bool has_succeeded)
{
	if (!completions->nr)
		return;
	completions->is_recorded = is_recorded;
	if (has_succeeded)
		complete_those(completions, arguments);
	for (int i = 0; i < completions->nr; i++)
		if (completions->requests[i])
			request_unclaim(completions->requests[i]);
	if (completions->requests != completions->few)
		pages_free(completions->requests, sizeof(struct request *) * (size_t)completions->nr);
}
