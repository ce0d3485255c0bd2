/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program of MPI: each rank sends to the next one and adds up with all others, 50 times in a call of step(). Prints from
 * rank 0 what must come out: "sum N*(N-1)/2 of N ranks". The report must show: step 50 calls per rank, main 1.
 */
#include <mpi.h>
#include <stdio.h>

static int wrong;

__attribute__((noinline)) static double step(int rank, int nr_ranks)
{
	double own[100] = { rank }, from[100], sum = rank;

	MPI_Sendrecv(own, 100, MPI_DOUBLE, (rank + 1) % nr_ranks, 3, from, 100, MPI_DOUBLE, (rank + nr_ranks - 1) % nr_ranks,
		     3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	wrong |= from[0] != (rank + nr_ranks - 1) % nr_ranks;
	MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return sum;
}

int main(int argc, char **argv)
{
	int rank, nr_ranks;
	double sum = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &nr_ranks);
	for (int i = 0; i < 50; i++)
		sum = step(rank, nr_ranks);
	if (rank == 0)
		printf("sum %g of %d ranks%s\n", sum, nr_ranks, wrong ? ", and wrong" : "");
	MPI_Finalize();
	return 0;
}
