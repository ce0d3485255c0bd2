/* SPDX-License-Identifier: MIT */
/*
 * Poisson's equation on a square of SIZE x SIZE points: poisson [SIZE]. The matrix is assembled by rows and
 * solved by conjugate gradients: two stages. Regions name the parts of the work that are not functions.
 */
#include <insideme.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A sparse matrix by rows: row i has the entries start[i] to start[i + 1] - 1. */
struct matrix {
	int nr_rows, *start, *columns;
	double *values;
};

static void add_entry(struct matrix *matrix, int column, double value)
{
	int at = matrix->start[matrix->nr_rows + 1]++;

	matrix->columns[at] = column;
	matrix->values[at] = value;
}

static void assemble_row(struct matrix *matrix, int size, int row)
{
	matrix->nr_rows = row;
	matrix->start[row + 1] = matrix->start[row];
	if (row >= size)
		add_entry(matrix, row - size, -1);
	if (row % size > 0)
		add_entry(matrix, row - 1, -1);
	add_entry(matrix, row, 4);
	if (row % size < size - 1)
		add_entry(matrix, row + 1, -1);
	if (row < size * (size - 1))
		add_entry(matrix, row + size, -1);
}

static int assemble(struct matrix *matrix, int size)
{
	int nr_rows = size * size;

	INSIDEME_STAGE("assembly");
	matrix->start = calloc(nr_rows + 1, sizeof(*matrix->start));
	matrix->columns = malloc(5 * sizeof(*matrix->columns) * nr_rows);
	matrix->values = malloc(5 * sizeof(*matrix->values) * nr_rows);
	if (!matrix->start || !matrix->columns || !matrix->values)
		return -1;
	for (int row = 0; row < nr_rows; row++)
		assemble_row(matrix, size, row);
	matrix->nr_rows = nr_rows;
	return 0;
}

static void multiply(const struct matrix *matrix, const double *vector, double *product)
{
	insideme_moved(12ull * matrix->start[matrix->nr_rows] + 20ull * matrix->nr_rows);
	for (int row = 0; row < matrix->nr_rows; row++) {
		product[row] = 0;
		for (int i = matrix->start[row]; i < matrix->start[row + 1]; i++)
			product[row] += matrix->values[i] * vector[matrix->columns[i]];
	}
}

static double dot(const double *left, const double *right, int length)
{
	double sum = 0;

	for (int i = 0; i < length; i++)
		sum += left[i] * right[i];
	return sum;
}

static void add_scaled(double *vector, double factor, const double *other, int length)
{
	for (int i = 0; i < length; i++)
		vector[i] += factor * other[i];
}

/* Solves for a right side of ones. Returns the number of steps. */
static int solve(const struct matrix *matrix, double *x, double *rest, double *direction, double *product)
{
	int n = matrix->nr_rows, steps = 0;
	double old = n, now, length;

	INSIDEME_STAGE("solver");
	INSIDEME_REGION("iterations");
	for (int i = 0; i < n; i++)
		x[i] = 0, rest[i] = direction[i] = 1;
	for (; old > 1e-12 * n && steps < 10 * n; steps++, old = now) {
		multiply(matrix, direction, product);
		length = old / dot(direction, product, n);
		add_scaled(x, length, direction, n);
		add_scaled(rest, -length, product, n);
		now = dot(rest, rest, n);
		insideme_counter("residual", sqrt(now / n));
		for (int i = 0; i < n; i++)
			direction[i] = rest[i] + now / old * direction[i];
	}
	return steps;
}

int main(int argc, char **argv)
{
	int size = argc > 1 ? atoi(argv[1]) : 200;
	struct matrix matrix;
	double *vectors = size > 0 ? malloc(4 * sizeof(double) * size * size) : NULL;
	size_t n = size * (size_t)size;

	if (!vectors || assemble(&matrix, size))
		return fprintf(stderr, "usage: %s [SIZE]\n", argv[0]), 2;
	printf("%d steps\n", solve(&matrix, vectors, vectors + n, vectors + 2 * n, vectors + 3 * n));
	printf("%.6f in the middle\n", vectors[n / 2 + size / 2]);
	free(matrix.start);
	free(matrix.columns);
	free(matrix.values);
	free(vectors);
	return 0;
}
