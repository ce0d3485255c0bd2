/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Three ranks wait for each other in ways that are known: ROUNDS times, MS each. Rank 0 prints what they waited by
 * their own clocks: kind, function, rank that waited, rank that was late, ns. "uneven": only in every second round,
 * and after calls that the recorder is asked to leave out, so that no call's other side is known. Then rank 1 prints
 * how long its calls of MPI_Ssend lasted: all, and the fastest.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS 10
#define MS 20

enum { SENDER, WAITALL, RECEIVER, BARRIER, BCAST, REDUCE, PROBE, ANYWHERE, NR };
static const struct {
	const char *kind, *function;
	int rank, late;
} phases[NR] = {
	[SENDER] = { "late sender", "MPI_Recv", 1, 0 },
	[WAITALL] = { "late sender", "MPI_Waitall", 2, 0 },
	[RECEIVER] = { "late receiver", "MPI_Ssend", 1, 2 },
	[BARRIER] = { "late rank", "MPI_Barrier", 0, 2 },
	[BCAST] = { "late rank", "MPI_Bcast", 2, 1 },
	[REDUCE] = { "late rank", "MPI_Reduce", 0, 1 },
	[PROBE] = { "late sender", "MPI_Probe", 0, 2 },
	[ANYWHERE] = { "late sender", "MPI_Waitany", 2, 1 },
};

static int rank, round_number, is_uneven;
static double stamps[NR]; /* when this rank's part of the phase began */
static double waited[NR];
static double all_ns, fastest_ns;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* All ranks begin a phase; one is late. */
static void begin(int phase, int late)
{
	const struct timespec delay = { 0, MS * 1000000 };
	int mine = 0, sum;

	MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (rank == late && !(is_uneven && round_number % 2))
		nanosleep(&delay, NULL);
	stamps[phase] = now();
}

static void end(int phase)
{
	double both[3], wait;

	MPI_Allgather(&stamps[phase], 1, MPI_DOUBLE, both, 1, MPI_DOUBLE, MPI_COMM_WORLD);
	wait = both[phases[phase].late] - both[phases[phase].rank];
	waited[phase] += wait > 0 ? wait : 0;
}

static void messages(void)
{
	int number = rank, other[2];
	MPI_Request requests[2];
	MPI_Status status;

	begin(SENDER, 0);
	if (rank == 0)
		MPI_Send(&number, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
	else if (rank == 1)
		MPI_Recv(other, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	end(SENDER);
	if (rank == 2) {	/* two messages of different tags, which are received in the other order */
		MPI_Irecv(&other[0], 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &requests[0]);
		MPI_Irecv(&other[1], 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &requests[1]);
	}
	begin(WAITALL, 0);
	if (rank == 0) {
		MPI_Send(&number, 1, MPI_INT, 2, 2, MPI_COMM_WORLD);
		stamps[WAITALL] = now();
		MPI_Send(&number, 1, MPI_INT, 2, 3, MPI_COMM_WORLD);
	} else if (rank == 2) {
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	}
	end(WAITALL);
	begin(RECEIVER, 2);
	if (rank == 1) {
		double ns;

		MPI_Ssend(&number, 1, MPI_INT, 2, 4, MPI_COMM_WORLD);
		ns = now() - stamps[RECEIVER];
		all_ns += ns;
		fastest_ns = fastest_ns > 0 && fastest_ns < ns ? fastest_ns : ns;
	} else if (rank == 2)
		MPI_Recv(other, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, &status);
	end(RECEIVER);
	begin(PROBE, 2);
	if (rank == 2) {
		MPI_Send(&number, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
	} else if (rank == 0) {
		MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
		MPI_Recv(other, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
	}
	end(PROBE);
	if (rank == 2) {	/* the first of these never comes */
		MPI_Irecv(&other[0], 1, MPI_INT, 1, 99, MPI_COMM_WORLD, &requests[0]);
		MPI_Irecv(&other[1], 1, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &requests[1]);
	}
	begin(ANYWHERE, 1);
	if (rank == 1) {
		MPI_Send(&number, 1, MPI_INT, 2, 6, MPI_COMM_WORLD);
	} else if (rank == 2) {
		int which;

		MPI_Waitany(2, requests, &which, &status);
		MPI_Cancel(&requests[0]);
		MPI_Wait(&requests[0], &status);
	}
	end(ANYWHERE);
}

static void collectives(void)
{
	int number = rank, sum;

	begin(BARRIER, 2);
	MPI_Barrier(MPI_COMM_WORLD);
	end(BARRIER);
	begin(BCAST, 1);
	MPI_Bcast(&number, 1, MPI_INT, 1, MPI_COMM_WORLD);
	end(BCAST);
	begin(REDUCE, 1);
	MPI_Reduce(&number, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	end(REDUCE);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	is_uneven = argc > 1;
	if (is_uneven) {
		MPI_Pcontrol(0);
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Pcontrol(1);
	}
	for (round_number = 0; round_number < ROUNDS; round_number++) {
		messages();
		collectives();
	}
	if (is_uneven && rank == 1)
		printf("MPI_Ssend,%.0f,%.0f\n", all_ns, fastest_ns);
	for (int i = 0; rank == 0 && !is_uneven && i < NR; i++)
		printf("%s,%s,%d,%d,%.0f\n", phases[i].kind, phases[i].function, phases[i].rank, phases[i].late,
		       waited[i]);
	return MPI_Finalize();
}
