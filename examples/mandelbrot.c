/* SPDX-License-Identifier: MIT */
/*
 * The Mandelbrot set as a picture in text: mandelbrot [ROWS]. Each row is a block of its own, so memory grows
 * by steps while the picture is computed.
 */
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_STEPS = 200 };

struct picture {
	int nr_rows, nr_columns;
	unsigned char **rows;	/* steps until a point escapes, one byte each */
};

static int escape_steps(double complex point)
{
	double complex value = 0;
	int steps = 0;

	while (steps < MOST_STEPS && creal(value) * creal(value) + cimag(value) * cimag(value) < 4) {
		value = value * value + point;
		steps++;
	}
	return steps;
}

static unsigned char *compute_row(const struct picture *picture, int row)
{
	unsigned char *steps = malloc(picture->nr_columns);
	double imaginary = 2.4 * row / picture->nr_rows - 1.2;

	for (int column = 0; steps && column < picture->nr_columns; column++)
		steps[column] = escape_steps(3.2 * column / picture->nr_columns - 2.3 + imaginary * I);
	return steps;
}

static void compute(struct picture *picture)
{
	for (int row = 0; row < picture->nr_rows; row++)
		picture->rows[row] = compute_row(picture, row);
}

/* Prints every 40th of the picture's rows and columns. */
static void print(const struct picture *picture)
{
	for (int row = 0; row < picture->nr_rows; row += (picture->nr_rows + 39) / 40) {
		for (int column = 0; column < picture->nr_columns; column += (picture->nr_columns + 79) / 80)
			putchar(" .:-=+*%@#"[picture->rows[row][column] * 9 / MOST_STEPS]);
		putchar('\n');
	}
}

int main(int argc, char **argv)
{
	int nr_rows = argc > 1 ? atoi(argv[1]) : 800;
	struct picture picture = { nr_rows, 2 * nr_rows, nr_rows > 0 ? calloc(nr_rows, sizeof(*picture.rows)) : NULL };

	if (!picture.rows)
		return fprintf(stderr, "usage: %s [ROWS]\n", argv[0]), 2;
	compute(&picture);
	print(&picture);
	for (int row = 0; row < nr_rows; row++)
		free(picture.rows[row]);
	free(picture.rows);
	return 0;
}
