/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tool of the profiling interface, as a library: rank R writes "FUNCTION,CALLS" lines to tool.R at MPI_Finalize. */
#include <mpi.h>
#include <stdio.h>

static long sends, receives, allreduces, waitalls;

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
	sends++;
	return PMPI_Send(buffer, count, type, to, tag, comm);
}

int MPI_Recv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status)
{
	receives++;
	return PMPI_Recv(buffer, count, type, from, tag, comm, status);
}

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
	allreduces++;
	return PMPI_Allreduce(from, to, count, type, op, comm);
}

int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses)
{
	waitalls++;
	return PMPI_Waitall(count, requests, statuses);
}

int MPI_Finalize(void)
{
	char name[32];
	FILE *file;
	int rank;

	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	snprintf(name, sizeof(name), "tool.%d", rank);
	file = fopen(name, "w");
	fprintf(file, "MPI_Send,%ld\nMPI_Recv,%ld\nMPI_Allreduce,%ld\nMPI_Waitall,%ld\n", sends, receives, allreduces,
		waitalls);
	fclose(file);
	return PMPI_Finalize();
}
