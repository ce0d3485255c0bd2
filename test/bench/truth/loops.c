/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Truth bench: few calls, each a loop of 0.5 to 100 us: what every profiler should get right. Argument: rounds.
 */
#include <stdio.h>
#include <stdlib.h>

#define SIZE 96

static double a[SIZE][SIZE], b[SIZE][SIZE], c[SIZE][SIZE];
static unsigned char text[4096];

static void multiply(int row)
{
	for (int j = 0; j < SIZE; j++) {
		double sum = 0;

		for (int k = 0; k < SIZE; k++)
			sum += a[row][k] * b[k][j];
		c[row][j] = sum;
	}
}

static void transpose(void)
{
	for (int i = 0; i < SIZE; i++)
		for (int j = 0; j < SIZE; j++)
			b[j][i] = c[i][j] * 1e-3;
}

static unsigned checksum(void)
{
	unsigned low = 1, high = 0;

	for (unsigned i = 0; i < sizeof(text); i++) {
		low = (low + text[i]) % 65521;
		high = (high + low) % 65521;
	}
	return high << 16 | low;
}

static void fill(unsigned state)
{
	for (unsigned i = 0; i < sizeof(text); i++) {
		state = state * 1664525 + 1013904223;
		text[i] = (unsigned char)(state >> 24);
	}
}

static double norm(int row)
{
	double sum = 0;

	for (int j = 0; j < SIZE; j++)
		sum += c[row][j] * c[row][j];
	return sum;
}

int main(int argc, char **argv)
{
	unsigned sums = 0;
	double norms = 0;

	for (int i = 0; i < SIZE; i++)
		for (int j = 0; j < SIZE; j++)
			a[i][j] = b[i][j] = i ^ j;
	for (long i = 0; i < (argc > 1 ? atol(argv[1]) : 1); i++) {
		for (int row = 0; row < SIZE; row++) {
			multiply(row);
			norms += norm(row);
		}
		transpose();
		for (int part = 0; part < 8; part++) {
			fill(sums + (unsigned)part);
			sums += checksum();
		}
	}
	printf("%u %g\n", sums, norms);
	return 0;
}
