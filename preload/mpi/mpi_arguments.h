/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The arguments of a call, by their roles: see mpi_calls.h. */
#pragma once

#include "preload/mpi/mpi_calls.h"
#include "preload/mpi/mpi_library.h"

/* A call by the program. */
struct mpi_arguments {
	enum mpi_call id;
	enum mpi_variant variant;
	const word *values; /* [MPI_ARGUMENTS_MOST]; arguments that the call does not have are 0 */
};

#define ROLE_LETTERS ('z' - 'A' + 1)

/* [call][letter - 'A']: number of the first and the last argument with that role, plus 1; 0: none has it. */
struct roles {
	int8_t first[NR_MPI_CALLS][ROLE_LETTERS], last[NR_MPI_CALLS][ROLE_LETTERS];
	bool is_large[NR_MPI_CALLS]; /* its counts have 64 bits */
};
extern HIDDEN struct roles roles;

extern HIDDEN const char *const call_names[]; /* "MPI_Send" */

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

/* Values by number. A number that the call has stored is at an address, in C too. */
static inline int argument_number(const struct mpi_arguments *arguments, int place)
{
	return argument_int(arguments->values[place], arguments->variant);
}

static inline int64_t argument_count(const struct mpi_arguments *arguments, int place)
{
	const word value = arguments->values[place];

	if (!roles.is_large[arguments->id])
		return argument_number(arguments, place);
	return arguments->variant == FROM_C ? (int64_t)value : *(const int64_t *)value;
}

/* The @index-th of an array of counts. */
static inline int64_t stored_count(const struct mpi_arguments *arguments, int place, int index)
{
	const word value = arguments->values[place];

	return roles.is_large[arguments->id] ? ((const int64_t *)value)[index] : ((const int *)value)[index];
}

static inline int stored_number(const struct mpi_arguments *arguments, int place)
{
	return *(const int *)arguments->values[place];
}

static inline word request_at(const struct mpi_arguments *arguments, int place, int index)
{
	return stored_request(arguments->values[place], index, arguments->variant);
}
