/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload/heap/poisson: against libm, and what estimates and their errors come to over many blocks. */
#include <math.h>

#include "insideme_log.h"
#include "preload/heap/poisson.h"
#include "test/unit/unit.h"

static const uint64_t means[] = { 1, 2, 7, 1000, 4096, 524288, 64 << 20 };
#define NR_MEANS (sizeof(means) / sizeof(*means))

static void near(double found, double wanted, double error)
{
	if (fabs(found - wanted) > error)
		fail_msg("%.12g where %.12g +/- %g was expected", found, wanted, error);
}

/* Sizes from 1 byte to 2^44, ten in each octave. */
TEST(a_block_counts_by_the_inverse_of_its_probability)
{
	for (size_t i = 0; i < NR_MEANS; i++) {
		for (int octave = 0; octave < 440; octave++) {
			uint64_t bytes = (uint64_t)exp2(octave / 10.0);
			double x = (double)bytes / (double)means[i], p = -expm1(-x),
			       wanted = (double)bytes / p;
			struct poisson_weight weight;

			poisson_weigh(0x1230, bytes, means[i], &weight);
			near((double)weight.bytes, wanted, 1 + wanted * 2e-6);
			near((double)weight.variance,
			     ldexp(x * x * exp(-x) / (p * p), LOG_SAMPLE_VARIANCE_SHIFT), 2);
			near((double)weight.blocks, 1 / p, 1.001 + 3e-6 / p);
		}
	}
}

/* Rounding of 1 / p is right on average over addresses: within 5 standard errors. */
TEST(blocks_are_rounded_both_ways)
{
	static const uint64_t sizes[] = { 300000, 524288, 700000, 1500000 };
	const int nr = 100000;

	for (int i = 0; i < 4; i++) {
		struct poisson_weight weight;
		uint64_t sum = 0;

		for (int j = 0; j < nr; j++) {
			poisson_weigh(0x7f0000000010 + 16 * (uint64_t)j * 1000003, sizes[i], 524288, &weight);
			sum += weight.blocks;
		}
		near((double)sum / nr, -1 / expm1(-(double)sizes[i] / 524288), 5 * 0.5 / sqrt(nr));
	}
}

/* Mean, share below the mean, and that it has no memory; 5 standard errors each. */
TEST(gaps_are_exponential)
{
	const int nr = 400000;

	for (uint64_t random = 1; random < 5; random++) {
		uint64_t generator = random;
		double sum = 0, late = 0;
		int nr_below = 0, nr_late = 0;

		for (int i = 0; i < nr; i++) {
			double gap = (double)poisson_next(&generator, 524288) / 524288;

			sum += gap;
			nr_below += gap < 1;
			nr_late += gap >= 2;
			late += gap >= 2 ? gap - 2 : 0;
		}
		near(sum / nr, 1, 5 / sqrt(nr));
		near((double)nr_below / nr, 1 - exp(-1), 5 * 0.49 / sqrt(nr));
		near((double)nr_late / nr, exp(-2), 5 * 0.35 / sqrt(nr));
		near(late / nr_late, 1, 5 / sqrt(nr_late));
	}
}

/*
 * A million blocks of mixed sizes, as malloc's wrapper does it: the estimates, and how often their error
 * holds.
 */
TEST(estimates_are_as_good_as_they_say)
{
	static const uint64_t sizes[] = { 24, 1032, 40, 262152, 24, 2097160, 168, 56, 4104, 24 };
	const int nr_runs = 200, nr = 20000;
	const uint64_t mean = 65536;
	double sum = 0, squares = 0, stated = 0, real = 0;

	for (int i = 0; i < nr; i++)
		real += (double)sizes[i % 10];
	for (uint64_t run = 1; run <= (uint64_t)nr_runs; run++) {
		uint64_t generator = run << 32;
		int64_t left = (int64_t)poisson_next(&generator, mean);
		double bytes = 0, variance = 0;

		for (int i = 0; i < nr; i++) {
			struct poisson_weight weight;

			left -= (int64_t)sizes[i % 10];
			if (left >= 0)
				continue;
			left = (int64_t)poisson_next(&generator, mean);
			poisson_weigh(16 * (uint64_t)i, sizes[i % 10], mean, &weight);
			bytes += (double)weight.bytes;
			variance += ldexp((double)weight.variance, -LOG_SAMPLE_VARIANCE_SHIFT) *
				    (double)(mean * mean);
		}
		sum += bytes - real;
		squares += (bytes - real) * (bytes - real);
		stated += variance;
	}
	near(sum / nr_runs, 0, 5 * sqrt(stated / nr_runs / nr_runs));
	near(squares / stated, 1, 5 * sqrt(2.0 / nr_runs));	/* chi squared of so many */
}
