/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One rank makes CALLS calls of each kind, and prints for each the least CPU time of a call over TURNS turns, in ns:
 * to nobody, which is no message; 8 bytes to itself; a request of 8 bytes and its completion.
 */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

#define CALLS 20000
#define TURNS 40

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void to_nobody(void)
{
	double number = 0;

	MPI_Send(&number, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

static void to_itself(void)
{
	double number = 0, other;

	MPI_Sendrecv(&number, 1, MPI_DOUBLE, 0, 0, &other, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

/* Two calls. */
static void request(void)
{
	MPI_Request request;
	double number;

	MPI_Irecv(&number, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Four calls: a receive is started, and completed. */
static void request_to_itself(void)
{
	MPI_Request requests[2];
	double number = 0, other;

	MPI_Irecv(&other, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &requests[0]);
	MPI_Isend(&number, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &requests[1]);
	MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
	MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*call)(void);
	} kinds[] = { { "to nobody", to_nobody },
		      { "to itself", to_itself },
		      { "request of nobody (2 calls)", request },
		      { "request to itself (4 calls)", request_to_itself } };

	MPI_Init(&argc, &argv);
	for (unsigned int kind = 0; kind < sizeof(kinds) / sizeof(*kinds); kind++) {
		double least = 1e30;

		for (int turn = 0; turn < TURNS; turn++) {
			double ns = now();

			for (int i = 0; i < CALLS; i++)
				kinds[kind].call();
			ns = (now() - ns) / CALLS;
			least = ns < least ? ns : least;
		}
		printf("%s,%.1f\n", kinds[kind].name, least);
	}
	return MPI_Finalize();
}
