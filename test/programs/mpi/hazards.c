/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What programs do that a recorder of MPI calls may break or miss: one hazard in each run, by its name. Each function
 * says what the report must show.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, nr_ranks;

/* Communicators and requests come and go: the heap holds what it does without the recorder of MPI calls. */
static void memory(void)
{
	int number = rank, other;
	MPI_Request requests[2];
	MPI_Comm comm;

	for (int i = 0; i < 50; i++) {
		MPI_Comm_dup(MPI_COMM_WORLD, &comm);
		MPI_Barrier(comm);
		MPI_Comm_free(&comm);
	}
	for (int i = 0; i < 500; i++) {
		MPI_Irecv(&other, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[0]);
		MPI_Isend(&number, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[1]);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} hazards[] = { { "memory", memory } };

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &nr_ranks);
	for (unsigned int i = 0; argc > 1 && i < sizeof(hazards) / sizeof(*hazards); i++)
		if (!strcmp(hazards[i].name, argv[1]))
			hazards[i].run();
	return MPI_Finalize();
}
