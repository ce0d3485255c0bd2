/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two ranks make calls that few programs make, with numbers that the test knows. Prints what came, which must be
 * the same with and without the recorder. MPI 3 does not have all of them.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, nr_ranks, numbers[64], others[64];

static void ring(MPI_Comm comm, const char *what)
{
	int there, mine, other = -1;

	MPI_Comm_rank(comm, &there);
	mine = there;
	MPI_Sendrecv(&mine, 1, MPI_INT, (there + 1) % nr_ranks, 1, &other, 1, MPI_INT,
		     (there + nr_ranks - 1) % nr_ranks, 1, comm, MPI_STATUS_IGNORE);
	printf("%d: %s %d\n", rank, what, other);
}

/* Each of the two has one neighbour and MPI_PROC_NULL. */
static void neighbours(void)
{
	int periodic = 0, counts[2] = { 1, 2 }, back[2] = { 2, 1 }, places[2] = { 0, 8 };
	MPI_Aint far[2] = { 0, 8 }, far_back[2] = { 0, 16 };
	MPI_Datatype types[2] = { MPI_INT, MPI_DOUBLE }, types_back[2] = { MPI_DOUBLE, MPI_INT };
	MPI_Request request;
	MPI_Comm line;

	MPI_Cart_create(MPI_COMM_WORLD, 1, &nr_ranks, &periodic, 0, &line);
	MPI_Neighbor_allgather(numbers, 2, MPI_INT, others, 2, MPI_INT, line);
	MPI_Neighbor_alltoall(numbers, 3, MPI_INT, others, 3, MPI_INT, line);
	MPI_Ineighbor_allgather(numbers, 4, MPI_INT, others, 4, MPI_INT, line, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Neighbor_alltoallv(numbers, counts, places, MPI_INT, others, back, places, MPI_INT, line);
	MPI_Ineighbor_alltoallw(numbers, counts, far, types, others, back, far_back, types_back, line,
				&request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	printf("%d: neighbours %d %d\n", rank, others[0], others[4]);
	MPI_Comm_free(&line);
}

static void collectives(void)
{
	int counts[2] = { 1, 1 }, places[2] = { 0, 4 }, done = 0;
	MPI_Datatype types[2] = { MPI_INT, MPI_INT };
	MPI_Request request;

	MPI_Ialltoallw(numbers, counts, places, types, others, counts, places, types, MPI_COMM_WORLD, &request);
	while (!done)
		MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Alltoall(numbers, 3, MPI_INT, others, 3, MPI_INT, MPI_COMM_WORLD);
	MPI_Ireduce_scatter_block(numbers, others, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	printf("%d: collectives %d\n", rank, others[0]);
}

/* The copies are the 2nd, 3rd and 4th creation of MPI_COMM_WORLD. */
static void communicators(void)
{
	int from = rank, nr = 1, to = 1 - rank, counts[1] = { 5 }, places[1] = { 0 };
	MPI_Comm first, second, third;
	MPI_Request request;

	MPI_Comm_idup(MPI_COMM_WORLD, &first, &request);
	MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &second);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &from, &nr, &to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &third);
	ring(first, "first");
	ring(second, "second");
	ring(third, "third");
	MPI_Ineighbor_alltoallv(numbers, counts, places, MPI_INT, others, counts, places, MPI_INT, third,
				&request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Comm_free(&first);
	MPI_Comm_free(&second);
	MPI_Comm_free(&third);
}

static void messages(void)
{
	MPI_Message message;
	MPI_Status status;

	if (rank == 0) {
		MPI_Send(numbers, 5, MPI_INT, 1, 7, MPI_COMM_WORLD);
	} else {
		MPI_Mprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &message, &status);
		MPI_Mrecv(others, 5, MPI_INT, &message, MPI_STATUS_IGNORE);
	}
	printf("%d: message %d\n", rank, others[4]);
}

static void windows(void)
{
	int memory[16] = { 0 }, mine[4] = { 1, 2, 3, 4 }, got[4] = { 0 }, done = 0;
	MPI_Request request;
	MPI_Group all;
	MPI_Win window;

	MPI_Win_create(memory, sizeof(memory), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
	MPI_Win_lock_all(0, window);
	MPI_Rput(mine, 4, MPI_INT, 1 - rank, 0, 4, MPI_INT, window, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Win_flush_all(window);
	MPI_Rget(got, 3, MPI_INT, 1 - rank, 0, 3, MPI_INT, window, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Rget_accumulate(mine, 2, MPI_INT, got, 2, MPI_INT, 1 - rank, 4, 2, MPI_INT, MPI_SUM, window, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, got, 1, MPI_INT, 1 - rank, 4, 1, MPI_INT, MPI_NO_OP, window);
	MPI_Get_accumulate(mine, 1, MPI_INT, got, 1, MPI_INT, 1 - rank, 8, 1, MPI_INT, MPI_SUM, window);
	MPI_Win_unlock_all(window);
	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Win_post(all, 0, window);
	MPI_Win_start(all, 0, window);
	MPI_Win_complete(window);
	while (!done)
		MPI_Win_test(window, &done);
	MPI_Barrier(MPI_COMM_WORLD);
	printf("%d: window %d %d\n", rank, memory[3], memory[5]);
	MPI_Group_free(&all);
	MPI_Win_free(&window);
}

/* The file has 16 bytes. Whoever asks for 4 numbers at 8 gets 2. */
static void files(const char *path)
{
	MPI_Request request;
	MPI_Status status;
	MPI_File file;

	MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
	MPI_File_iwrite_at(file, rank * 8, numbers, 2, MPI_INT, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_File_write_ordered(file, numbers, 2, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_sync(file);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_File_sync(file);
	MPI_File_read_at(file, 8, others, 4, MPI_INT, &status);
	MPI_File_read_at_all(file, 8, others, 4, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_read_at_all_begin(file, 0, others, 3, MPI_INT);
	MPI_File_read_at_all_end(file, others, &status);
	printf("%d: read %d\n", rank, others[2]);
	MPI_File_close(&file);
}

#if MPI_VERSION >= 4
static void later_calls(void)
{
	MPI_Request request, both[2];

	MPI_Isendrecv(numbers, 3, MPI_INT, 1 - rank, 8, others, 3, MPI_INT, 1 - rank, 8, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Allreduce_init(numbers, others, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
	for (int i = 0; i < 3; i++) {
		MPI_Start(&request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	MPI_Request_free(&request);
	if (rank == 0)
		MPI_Psend_init(numbers, 2, 3, MPI_INT, 1, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &both[0]);
	else
		MPI_Precv_init(others, 2, 3, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &both[0]);
	MPI_Start(&both[0]);
	for (int i = 0; i < 2 && rank == 0; i++)
		MPI_Pready(i, both[0]);
	MPI_Wait(&both[0], MPI_STATUS_IGNORE);
	MPI_Request_free(&both[0]);
	printf("%d: later calls %d\n", rank, others[5]);
}
#endif

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &nr_ranks);
	for (int i = 0; i < 64; i++)
		numbers[i] = rank * 100 + i;
	neighbours();
	collectives();
	communicators();
	messages();
	windows();
	if (argc > 1)
		files(argv[1]);
#if MPI_VERSION >= 4
	later_calls();
#endif
	return MPI_Finalize();
}
