/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Truth bench: tiny functions, most of them of 1 to 5 ns, under callers that do more themselves. Argument: rounds.
 */
#include <stdio.h>
#include <stdlib.h>

#define POINTS 1024

struct point {
	float x, y, z;
	int kind;
};

static struct point points[POINTS];
static unsigned histogram[64];

static float get_x(const struct point *p) { return p->x; }
static float get_y(const struct point *p) { return p->y; }
static int get_kind(const struct point *p) { return p->kind; }

static void set_z(struct point *p, float z)
{
	p->z = z;
}

static float dot(const struct point *a, const struct point *b)
{
	return get_x(a) * get_x(b) + get_y(a) * get_y(b) + a->z * b->z;
}

static unsigned mix(unsigned state)
{
	state ^= state << 13;
	state ^= state >> 17;
	return state ^ state << 5;
}

/* Divisions wait for each other: slow for so few instructions. */
static float root(float square)
{
	float guess = square / 2 + 1;

	for (int i = 0; i < 2; i++)
		guess = (guess + square / guess) / 2;
	return guess;
}

static void count(int kind)
{
	histogram[kind & 63]++;
}

static void count_all(void)
{
	for (int i = 0; i < POINTS; i++)
		count(get_kind(&points[i]));
}

/* From another point each time: else it is a pure function of nothing new, and called once without hooks. */
static float smooth(int first)
{
	float sum = 0;

	for (int i = first; i < POINTS; i++)
		sum += points[i].x * points[i - 1].y - points[i].y * points[i - 1].x;
	return sum;
}

static void step(unsigned *state)
{
	for (int i = 1; i < POINTS; i++) {
		struct point *p = &points[i];

		*state = mix(*state);
		set_z(p, root(dot(p, p - 1)));
		p->kind = (int)(*state >> 8);
	}
}

int main(int argc, char **argv)
{
	unsigned state = 1;
	float sum = 0;

	for (int i = 0; i < POINTS; i++)
		points[i] = (struct point){ (float)(i % 17), (float)(i % 29), 0, i };
	for (long i = 0; i < (argc > 1 ? atol(argv[1]) : 1); i++) {
		step(&state);
		count_all();
		sum += smooth(1);
		sum += smooth(2);
	}
	printf("%u %g %u\n", state, sum, histogram[1]);
	return 0;
}
