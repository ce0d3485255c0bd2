/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The arguments of a call, by their roles: see mpi_calls.h. */
#pragma once

#include "preload/mpi/mpi_calls.h"
#include "preload/mpi/mpi_library.h"

/* A call of the program. */
struct mpi_arguments {
	enum mpi_call id;
	enum mpi_variant variant;
	const word *values; /* [MPI_ARGUMENTS_MOST]; those that the call does not have are 0 */
};

#define ROLE_LETTERS ('z' - 'A' + 1)

/* [call][letter - 'A']: number of the first and the last argument with that role, plus 1; 0: none has it. */
struct roles {
	int8_t first[NR_MPI_CALLS][ROLE_LETTERS], last[NR_MPI_CALLS][ROLE_LETTERS];
};
extern HIDDEN struct roles roles;

/* Fill it. Once, before the others. */
void roles_begin(void);

/* -1: no argument has that role. */
static inline int role_first(enum mpi_call id, char role)
{
	return roles.first[id][role - 'A'] - 1;
}

static inline int role_last(enum mpi_call id, char role)
{
	return roles.last[id][role - 'A'] - 1;
}

/* Values by number. A number that the call has stored is at an address in C too. */
static inline int argument_number(const struct mpi_arguments *arguments, int place)
{
	return argument_int(arguments->values[place], arguments->variant);
}

static inline int stored_number(const struct mpi_arguments *arguments, int place)
{
	return *(const int *)arguments->values[place];
}

static inline word request_at(const struct mpi_arguments *arguments, int place, int index)
{
	return stored_request(arguments->values[place], index, arguments->variant);
}
