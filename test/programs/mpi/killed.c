/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Three ranks. Rank 1 receives 20 messages of rank 0, each followed by a barrier. Then rank 2 is killed, or by "abort"
 * ends all by MPI_Abort, while the others wait for a message of it; another receive was posted for ever. With "barrier"
 * they wait in a barrier, which with one more argument is their first call. With "exit" all exit after the messages,
 * without MPI_Finalize.
 */
#include <mpi.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define MESSAGES 20

static void exchange(int rank)
{
	int number = rank;

	for (int i = 0; i < MESSAGES; i++) {
		if (rank == 0) {
			usleep(2000);
			MPI_Send(&number, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
		} else if (rank == 1) {
			MPI_Recv(&number, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		}
		MPI_Barrier(MPI_COMM_WORLD);
	}
}

static void wait_for_last(int rank, int aborts, int in_barrier)
{
	MPI_Request request;
	int number, other;

	if (rank == 2) {
		sleep(1);
		if (aborts)
			MPI_Abort(MPI_COMM_WORLD, 3);
		raise(SIGKILL);
	}
	if (in_barrier)
		MPI_Barrier(MPI_COMM_WORLD);
	MPI_Irecv(&other, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, &request);
	MPI_Recv(&number, 1, MPI_INT, 2, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (argc < 3)
		exchange(rank);
	if (argc > 1 && !strcmp(argv[1], "exit")) {
		sleep(1); /* the launcher kills the others when one exits */
		return 0;
	}
	wait_for_last(rank, argc > 1 && !strcmp(argv[1], "abort"), argc > 1 && !strcmp(argv[1], "barrier"));
	return MPI_Finalize();
}
