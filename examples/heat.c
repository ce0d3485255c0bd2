/* SPDX-License-Identifier: MIT */
/*
 * The heat equation on a square, its rows divided among MPI ranks: mpirun -n 4 heat [TRIALS]. Each trial has
 * a larger square. INSIDEME_FIELD() names a function's field; random_start() has none, and is its own field.
 */
#include <insideme.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

struct grid {
	int nr_rows, nr_columns;	/* without the row above and the row below, which are the neighbours' */
	double *now, *next;		/* (nr_rows + 2) * nr_columns, by rows */
};

static int rank, nr_ranks;

static int grid_make(struct grid *grid, int size)
{
	size_t bytes;

	grid->nr_columns = size;
	grid->nr_rows = size / nr_ranks + (rank < size % nr_ranks);
	bytes = (size_t)(grid->nr_rows + 2) * size * sizeof(double);
	grid->now = calloc(1, bytes);
	grid->next = calloc(1, bytes);
	return grid->now && grid->next ? 0 : -1;
}

static void random_start(struct grid *grid)
{
	for (int i = grid->nr_columns; i < (grid->nr_rows + 1) * grid->nr_columns; i++)
		grid->now[i] = rand() / (double)RAND_MAX;
}

/* Sends the first and the last row to the neighbours, and receives theirs. */
static void exchange(struct grid *grid)
{
	int above = rank ? rank - 1 : MPI_PROC_NULL, below = rank + 1 < nr_ranks ? rank + 1 : MPI_PROC_NULL;
	double *first = grid->now + grid->nr_columns, *last = grid->now + grid->nr_rows * grid->nr_columns;

	INSIDEME_FIELD("communication");
	MPI_Sendrecv(first, grid->nr_columns, MPI_DOUBLE, above, 0, last + grid->nr_columns, grid->nr_columns, MPI_DOUBLE,
		     below, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(last, grid->nr_columns, MPI_DOUBLE, below, 1, grid->now, grid->nr_columns, MPI_DOUBLE, above, 1,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void step(struct grid *grid)
{
	double *swap = grid->now;

	INSIDEME_FIELD("computation");
	for (int row = 1; row <= grid->nr_rows; row++)
		for (int column = 1; column < grid->nr_columns - 1; column++) {
			const double *at = grid->now + row * grid->nr_columns + column;

			grid->next[row * grid->nr_columns + column] =
				*at + 0.2 * (at[-1] + at[1] + at[-grid->nr_columns] + at[grid->nr_columns] - 4 * *at);
		}
	grid->now = grid->next;
	grid->next = swap;
}

static double total_heat(const struct grid *grid)
{
	double mine = 0, all = 0;

	INSIDEME_FIELD("communication");
	for (int i = grid->nr_columns; i < (grid->nr_rows + 1) * grid->nr_columns; i++)
		mine += grid->now[i];
	MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return all;
}

static int save(const struct grid *grid)
{
	char name[32];
	FILE *file;

	INSIDEME_FIELD("I/O");
	snprintf(name, sizeof(name), "heat.%d", rank);
	if (!(file = fopen(name, "wb")))
		return -1;
	fwrite(grid->now + grid->nr_columns, sizeof(double) * grid->nr_columns, grid->nr_rows, file);
	return fclose(file);
}

static int trial(int size)
{
	struct grid grid;
	int status = grid_make(&grid, size);

	if (!status) {
		random_start(&grid);
		for (int i = 0; i < 20; i++) {
			exchange(&grid);
			step(&grid);
		}
		insideme_counter("heat", total_heat(&grid));
		status = save(&grid);
	}
	free(grid.now);
	free(grid.next);
	return status;
}

int main(int argc, char **argv)
{
	int nr_trials = argc > 1 ? atoi(argv[1]) : 20, status = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &nr_ranks);
	for (int i = 1; i <= nr_trials && !status; i++)
		status = trial(50 * i);
	if (status)
		MPI_Abort(MPI_COMM_WORLD, 1);
	return MPI_Finalize();
}
