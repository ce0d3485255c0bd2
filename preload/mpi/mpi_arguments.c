/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The places of arguments in each call, from the table's texts, looked up once. */
#include "preload/mpi/mpi_arguments.h"

#include <string.h>

#define MPI_CALL_ROLES(name, lower, upper, f08, f08ts, nr_c, nr_fortran, roles) roles,
static const char *const roles_of[] = { MPI_CALLS(MPI_CALL_ROLES) };

#define MPI_CALL_NAME(name, lower, upper, f08, f08ts, nr_c, nr_fortran, roles) "MPI_" #name,
const char *const call_names[] = { MPI_CALLS(MPI_CALL_NAME) };

struct roles roles; /* written once, by the constructor */

void roles_begin(void)
{
	for (int id = 0; id < NR_MPI_CALLS; id++) {
		roles.is_large[id] = strcmp(call_names[id] + strlen(call_names[id]) - 2, "_c") == 0;
		for (int i = 0; roles_of[id][i]; i++) {
			const int letter = roles_of[id][i] - 'A';

			roles.last[id][letter] = (int8_t)(i + 1);
			if (!roles.first[id][letter])
				roles.first[id][letter] = (int8_t)(i + 1);
		}
	}
}
