/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where each call has which argument: the table's texts, looked up once. */
#include "preload/mpi/mpi_arguments.h"

#define NR_LETTERS ('z' - 'A' + 1)

#define MPI_CALL_ROLES(name, lower, upper, nr_c, nr_fortran, roles) roles,
static const char *const roles_of[] = { MPI_CALLS(MPI_CALL_ROLES) };

/* Number + 1; written once, by the constructor. */
static int8_t first[NR_MPI_CALLS][NR_LETTERS], last[NR_MPI_CALLS][NR_LETTERS];

void roles_begin(void)
{
	for (int id = 0; id < NR_MPI_CALLS; id++)
		for (int i = 0; roles_of[id][i]; i++) {
			const int letter = roles_of[id][i] - 'A';

			last[id][letter] = (int8_t)(i + 1);
			if (!first[id][letter])
				first[id][letter] = (int8_t)(i + 1);
		}
}

int role_first(enum mpi_call id, char role)
{
	return first[id][role - 'A'] - 1;
}

int role_last(enum mpi_call id, char role)
{
	return last[id][role - 'A'] - 1;
}
