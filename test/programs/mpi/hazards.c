/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What programs do that a recorder of MPI calls may break or miss: one hazard in each run, by its name. Each function
 * says what the report must show.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define THREADS 4
#define ROUNDS 200

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

/* Four ranks, two in each group: 0 sends a number to 2, and 1 sends two to 3, who have the ranks 0 and 1 there. */
static void inter(void)
{
	const int is_high = rank >= 2;
	int numbers[2] = { 0 }, sum, root = rank == 0 ? MPI_ROOT : is_high ? 0 : MPI_PROC_NULL;
	MPI_Comm half, other;

	MPI_Comm_split(MPI_COMM_WORLD, is_high, rank, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, is_high ? 0 : 2, 7, &other);
	if (is_high)
		MPI_Recv(numbers, 2, MPI_INT, rank - 2, 1, other, MPI_STATUS_IGNORE);
	else
		MPI_Send(numbers, rank + 1, MPI_INT, rank, 1, other);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, other);
	MPI_Bcast(numbers, 1, MPI_INT, root, other);
	printf("%d: the other group's sum %d\n", rank, sum);
	MPI_Comm_free(&other);
	MPI_Comm_free(&half);
}

static char *own_name;

/* One rank starts two, and sends each of them a number: they are ranks 0 and 1 of another world. */
static void spawn(void)
{
	char *arguments[] = { "spawned", NULL };
	MPI_Comm children;

	MPI_Comm_spawn(own_name, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children, MPI_ERRCODES_IGNORE);
	for (int child = 0; child < 2; child++)
		MPI_Send(&child, 1, MPI_INT, child, 1, children);
	MPI_Comm_disconnect(&children);
}

static void spawned(void)
{
	MPI_Comm parent;
	int number;

	MPI_Comm_get_parent(&parent);
	MPI_Recv(&number, 1, MPI_INT, 0, 1, parent, MPI_STATUS_IGNORE);
	MPI_Sendrecv(&number, 1, MPI_INT, 1 - rank, 2, &number, 1, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	MPI_Comm_disconnect(&parent);
}

static MPI_Comm comms[THREADS];
static MPI_Request handed[THREADS];
static int received[THREADS];
static pthread_barrier_t meeting;

/* Each thread starts a receive that the next thread completes: ROUNDS messages a thread, of 4 bytes. */
static void *exchange(void *of)
{
	const int thread = (int)(size_t)of, next = (thread + 1) % THREADS;
	MPI_Status status;
	int number = 0;

	for (int i = 0; i < ROUNDS; i++) {
		MPI_Irecv(&received[thread], 1, MPI_INT, 1 - rank, thread, comms[thread], &handed[thread]);
		MPI_Send(&number, 1, MPI_INT, 1 - rank, thread, comms[thread]);
		pthread_barrier_wait(&meeting);
		MPI_Wait(&handed[next], &status);
		pthread_barrier_wait(&meeting);
	}
	return NULL;
}

/* Two ranks. */
static void threads(void)
{
	pthread_t list[THREADS];

	pthread_barrier_init(&meeting, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
	for (size_t i = 0; i < THREADS; i++)
		pthread_create(&list[i], NULL, exchange, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(list[i], NULL);
}

static void ring(MPI_Comm comm)
{
	int mine, nr, other = -1;

	MPI_Comm_rank(comm, &mine);
	MPI_Comm_size(comm, &nr);
	MPI_Sendrecv(&mine, 1, MPI_INT, (mine + 1) % nr, 1, &other, 1, MPI_INT, (mine + nr - 1) % nr, 1, comm,
		     MPI_STATUS_IGNORE);
	printf("%d: ring gave %d\n", mine, other);
}

/* A number goes from rank 0 to rank 1. */
static void one(void)
{
	int number = 0;

	if (rank == 0)
		MPI_Send(&number, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
	if (rank == 1)
		MPI_Recv(&number, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Recorded are the first ring, and the last. */
static void control(void)
{
	ring(MPI_COMM_WORLD);
	MPI_Pcontrol(0);
	MPI_Pcontrol(0);
	ring(MPI_COMM_WORLD);
	MPI_Pcontrol(1);
	ring(MPI_COMM_WORLD);
}

#ifdef OWN_SEND
/* The program's own function comes before any library's. */
int MPI_Send(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
	return PMPI_Send(buffer, count, type, to, tag, comm);
}
#endif

/* Three numbers to itself, and more bytes than an int counts, which nobody touches. */
static void large(void)
{
#if MPI_VERSION >= 4
	int numbers[3] = { 0 }, others[3];
	MPI_Count counts[1] = { 3 }, places[1] = { 0 };

	MPI_Sendrecv_c(numbers, 3, MPI_INT, 0, 1, others, 3, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
	MPI_Bcast_c(numbers, 5000000000, MPI_CHAR, 0, MPI_COMM_SELF);
	MPI_Alltoallv_c(numbers, counts, (MPI_Aint *)places, MPI_INT, others, counts, (MPI_Aint *)places, MPI_INT,
			MPI_COMM_SELF);
#endif
}

/* Without MPI_Init. */
static int session(void)
{
#if MPI_VERSION >= 4
	MPI_Session session;
	MPI_Group world;
	MPI_Comm comm;

	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
	MPI_Group_from_session_pset(session, "mpi://WORLD", &world);
	MPI_Comm_create_from_group(world, "of the test", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
	ring(comm);
	MPI_Comm_free(&comm);
	MPI_Group_free(&world);
	return MPI_Session_finalize(&session);
#else
	return 77;
#endif
}

/* Windows of a communicator whose ranks are in the other order: 0 puts 3 numbers to world rank 1, and gets 2 of it. */
static void one_sided(void)
{
	int numbers[8] = { 0 }, mine[8] = { 1, 2, 3, 4 }, one = 1, before, target = 0; /* world rank nr_ranks - 1 */
	MPI_Comm reversed;
	MPI_Win window;

	MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
	for (int i = 0; i < 2; i++) {
		MPI_Win_create(numbers, sizeof(numbers), sizeof(int), MPI_INFO_NULL, reversed, &window);
		MPI_Win_fence(0, window);
		if (rank == 0)
			MPI_Put(mine, 3, MPI_INT, target, 0, 3, MPI_INT, window);
		MPI_Win_fence(0, window);
		if (rank == 0) {
			MPI_Get(mine, 2, MPI_INT, target, 0, 2, MPI_INT, window);
			MPI_Accumulate(mine, 1, MPI_INT, target, 4, 1, MPI_INT, MPI_SUM, window);
			MPI_Put(mine, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window);
		}
		MPI_Win_fence(0, window);
		MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window);
		MPI_Fetch_and_op(&one, &before, MPI_INT, target, 5, MPI_SUM, window);
		MPI_Win_unlock(target, window);
		MPI_Win_free(&window);
	}
	printf("%d: %d %d\n", rank, numbers[2], numbers[5]);
	MPI_Comm_free(&reversed);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} hazards[] = { { "memory", memory }, { "inter", inter },     { "spawn", spawn }, { "spawned", spawned },
			{ "threads", threads }, { "one", one }, { "control", control }, { "large", large },
			{ "one_sided", one_sided } };
	int provided;

	if (argc < 2)
		return 2;
	if (!strcmp(argv[1], "session"))
		return session();
	own_name = argv[0];
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &nr_ranks);
	for (unsigned int i = 0; i < sizeof(hazards) / sizeof(*hazards); i++)
		if (!strcmp(hazards[i].name, argv[1]))
			hazards[i].run();
	return MPI_Finalize();
}
