/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ranks solve Laplace's equation by Jacobi's method: the grid is distributed by rows, TRIALS times, each time with
 * more columns and sweeps. Fields: Computation, I/O and Communication; fill() has none. Each rank prints
 * "RANK,NEIGHBOUR,MESSAGES,BYTES", what it sent to each neighbour. By construction: trial t has 10 + t sweeps of
 * 64 + 8 t columns; fill() once and store() once a trial; converged() once a sweep.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "insideme.h"

#define TRIALS	20
#define ROWS	16
#define COLUMNS_MOST	(64 + 8 * TRIALS)

static int rank, nr_ranks, nr_columns;
static double grid[2][ROWS + 2][COLUMNS_MOST];
static long messages[2], bytes[2]; /* to the rank above, and to the one below */

static void fill(void)
{
	memset(grid, 0, sizeof(grid));
	for (int i = 0; i < nr_columns; i++)
		grid[0][rank == 0][i] = grid[1][rank == 0][i] = 100;
}

/* The halo: blocking calls with the rank above, requests with the one below. */
static void exchange(double (*now)[COLUMNS_MOST])
{
	int above = rank ? rank - 1 : MPI_PROC_NULL, below = rank + 1 < nr_ranks ? rank + 1 : MPI_PROC_NULL;
	MPI_Request requests[2];

	INSIDEME_FIELD("Communication");
	MPI_Irecv(now[ROWS + 1], nr_columns, MPI_DOUBLE, below, 1, MPI_COMM_WORLD, &requests[0]);
	MPI_Isend(now[ROWS], nr_columns, MPI_DOUBLE, below, 2, MPI_COMM_WORLD, &requests[1]);
	MPI_Sendrecv(now[1], nr_columns, MPI_DOUBLE, above, 1, now[0], nr_columns, MPI_DOUBLE, above, 2, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	messages[0] += above != MPI_PROC_NULL;
	messages[1] += below != MPI_PROC_NULL;
	bytes[0] += above != MPI_PROC_NULL ? nr_columns * (long)sizeof(double) : 0;
	bytes[1] += below != MPI_PROC_NULL ? nr_columns * (long)sizeof(double) : 0;
}

static double sweep(double (*now)[COLUMNS_MOST], double (*next)[COLUMNS_MOST])
{
	double change = 0;

	INSIDEME_FIELD("Computation");
	for (int row = 1 + (rank == 0); row <= ROWS; row++)
		for (int i = 1; i + 1 < nr_columns; i++) {
			next[row][i] = (now[row - 1][i] + now[row + 1][i] + now[row][i - 1] + now[row][i + 1]) / 4;
			change += (next[row][i] - now[row][i]) * (next[row][i] - now[row][i]);
		}
	return change;
}

static int converged(double change)
{
	double all;

	INSIDEME_FIELD("Communication");
	MPI_Allreduce(&change, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return all < 1e-12;
}

static void store(int trial)
{
	char name[40];
	FILE *file;

	INSIDEME_FIELD("I/O");
	snprintf(name, sizeof(name), "grid.%d.%d", trial, rank);
	file = fopen(name, "w");
	if (!file)
		exit(1);
	for (int row = 1; row <= ROWS; row++)
		fwrite(grid[0][row], sizeof(double), (size_t)nr_columns, file);
	fclose(file);
	remove(name);
}

static void solve(int trial)
{
	nr_columns = 64 + 8 * trial;
	fill();
	for (int i = 0; i < 10 + trial; i++) {
		exchange(grid[i % 2]);
		if (converged(sweep(grid[i % 2], grid[(i + 1) % 2])))
			exit(1);
	}
	store(trial);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &nr_ranks);
	for (int trial = 0; trial < TRIALS; trial++)
		solve(trial);
	for (int i = 0; i < 2; i++)
		if (messages[i])
			printf("%d,%d,%ld,%ld\n", rank, rank + 2 * i - 1, messages[i], bytes[i]);
	return MPI_Finalize();
}
