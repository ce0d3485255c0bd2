/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two or more ranks make calls of every kind, whose numbers the test knows: all arguments that MPI lets be
 * special too (MPI_IN_PLACE, MPI_STATUS_IGNORE, MPI_PROC_NULL, MPI_ANY_SOURCE, types that mean nothing at a
 * rank). Prints what it received, which must be the same with and without the recorder.
 */
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, nr_ranks;

static void ring(MPI_Comm comm)
{
	int rank_there, nr_there, mine, other = -1;
	MPI_Status status;

	MPI_Comm_rank(comm, &rank_there);
	MPI_Comm_size(comm, &nr_there);
	mine = rank_there;
	MPI_Sendrecv(&mine, 1, MPI_INT, (rank_there + 1) % nr_there, 1, &other, 1, MPI_INT,
		     (rank_there + nr_there - 1) % nr_there, 1, comm, &status);
	printf("%d: ring gave %d\n", rank, other);
}

/* Rank 0 sends 3, 2 and 1 numbers, whatever room the receiver has. */
static void point_to_point(void)
{
	double numbers[8] = { 0 };
	MPI_Status status;
	MPI_Request request;
	int count;

	if (rank == 0) {
		MPI_Send(numbers, 3, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD);
		MPI_Ssend(numbers, 2, MPI_DOUBLE, 1, 6, MPI_COMM_WORLD);
		MPI_Isend(numbers, 1, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	} else if (rank == 1) {
		MPI_Recv(numbers, 8, MPI_DOUBLE, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &status);
		MPI_Get_count(&status, MPI_DOUBLE, &count);
		printf("1: %d numbers from %d\n", count, status.MPI_SOURCE);
		MPI_Recv(numbers, 8, MPI_DOUBLE, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Irecv(numbers, 8, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, &request);
		MPI_Wait(&request, &status);
	}
	MPI_Send(numbers, 8, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
	MPI_Recv(numbers, 8, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Off the root the types of the root's buffer may be null: asking their size would end the program. */
static void collectives(void)
{
	int root = 1, mine = rank, all[64] = { 0 }, sum = 0;

	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Bcast(&root, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Gather(&mine, 1, MPI_INT, all, 1, rank ? MPI_DATATYPE_NULL : MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Scatter(all, 1, rank ? MPI_DATATYPE_NULL : MPI_INT, &mine, 1, MPI_INT, 0, MPI_COMM_WORLD);
	if (rank == 0)
		MPI_Gather(MPI_IN_PLACE, 5, MPI_DATATYPE_NULL, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
	else
		MPI_Gather(&mine, 1, MPI_INT, NULL, 5, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
	MPI_Allgather(MPI_IN_PLACE, 5, MPI_DATATYPE_NULL, all, 1, MPI_INT, MPI_COMM_WORLD);
	sum = mine;
	MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	printf("%d: sum %d\n", rank, sum);
}

static void persistent(void)
{
	int number = rank, other = -1;
	MPI_Request requests[2];
	MPI_Status statuses[2];

	if (rank > 1)
		return;
	MPI_Send_init(&number, 1, MPI_INT, 1 - rank, 9, MPI_COMM_WORLD, &requests[0]);
	MPI_Recv_init(&other, 1, MPI_INT, 1 - rank, 9, MPI_COMM_WORLD, &requests[1]);
	for (int i = 0; i < 10; i++) {
		MPI_Startall(2, requests);
		MPI_Waitall(2, requests, statuses);
	}
	MPI_Start(&requests[0]);
	MPI_Start(&requests[1]);
	MPI_Waitall(2, requests, statuses);
	MPI_Request_free(&requests[0]);
	MPI_Request_free(&requests[1]);
}

/* An operation of the program calls MPI within MPI. */
static void add(void *in, void *sum, int *length, MPI_Datatype *type)
{
	int bytes;

	MPI_Type_size(*type, &bytes);
	MPI_Barrier(MPI_COMM_SELF);
	for (int i = 0; i < *length; i++)
		((int *)sum)[i] += ((int *)in)[i];
}

static void operation(void)
{
	int mine = 1, sum = 0;
	MPI_Op op;

	MPI_Op_create(add, 1, &op);
	MPI_Allreduce(&mine, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
	MPI_Op_free(&op);
	printf("%d: own operation %d\n", rank, sum);
}

/* A handle may come again after it was freed, as another communicator. */
static void communicators(void)
{
	MPI_Comm comm;

	for (int i = 0; i < 3; i++) {
		MPI_Comm_split(MPI_COMM_WORLD, i ? rank % 2 : 0, i == 2 ? -rank : rank, &comm);
		ring(comm);
		MPI_Comm_free(&comm);
	}
	MPI_Comm_split(MPI_COMM_WORLD, rank ? MPI_UNDEFINED : 0, 0, &comm);
	if (comm != MPI_COMM_NULL)
		MPI_Comm_free(&comm);
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Barrier(comm);
	MPI_Comm_free(&comm);
}

static jmp_buf back;

static void leave(MPI_Comm *comm, int *error, ...)
{
	longjmp(back, 1);
}

/* An error handler leaves the call by a jump. The call after it counts as ever. */
static void jump(void)
{
	MPI_Errhandler handler;
	int number = 0;

	MPI_Comm_create_errhandler(leave, &handler);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
	if (setjmp(back) == 0)
		MPI_Send(&number, 1, MPI_INT, nr_ranks + 5, 0, MPI_COMM_WORLD);
	else
		printf("%d: jumped\n", rank);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
	MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &nr_ranks);
	ring(MPI_COMM_WORLD);
	point_to_point();
	collectives();
	persistent();
	operation();
	communicators();
	jump();
	return MPI_Finalize();
}
