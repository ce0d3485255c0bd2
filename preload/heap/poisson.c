/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exponential numbers and their inverse in fixed point: the recorder must not touch floating-point state. */
#include "preload/heap/poisson.h"

#include "insideme_log.h"

#define ONE_SHIFT	58		/* of fractions */
#define ONE		(1ull << ONE_SHIFT)
#define LN_2		199786072581291495ull	/* in units of 1 / ONE */
#define LOG_BITS	32		/* of a logarithm, after the point */
#define CERTAIN		32		/* means: p is 1 to 13 digits */
#define SMALL_SHIFT	10		/* below mean / 2^10 bytes / p is mean + bytes / 2, to 8 digits */
#define RATIO_SHIFT	26
#define GOLDEN		0x9e3779b97f4a7c15ull

/* Steele, Lea and Flood's splitmix64 (OOPSLA 2014). */
static uint64_t mix(uint64_t number)
{
	number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9ull;
	number = (number ^ number >> 27) * 0x94d049bb133111ebull;
	return number ^ number >> 31;
}

static uint64_t multiply(uint64_t a, uint64_t b)
{
	return (uint64_t)((unsigned __int128)a * b >> ONE_SHIFT);
}

/* The binary logarithm of a number from 1 on, bit by bit: squared, it is in the next octave or not. */
static uint64_t logarithm(uint64_t number)
{
	int shift = __builtin_clzll(number);
	uint64_t mantissa = number << shift, bits = 63 - (uint64_t)shift;

	for (int i = 0; i < LOG_BITS; i++) {
		unsigned __int128 square = (unsigned __int128)mantissa * mantissa;
		uint64_t is_above = (uint64_t)(square >> 127);

		bits = bits << 1 | is_above;
		mantissa = (uint64_t)(square >> (63 + is_above));
	}
	return bits;
}

/* -mean ln(u), of a random u between 0 and 1. */
uint64_t poisson_next(uint64_t *random, uint64_t mean_bytes)
{
	uint64_t octaves;

	*random += GOLDEN;
	octaves = (64ull << LOG_BITS) - logarithm(mix(*random) | 1);
	return (uint64_t)((unsigned __int128)multiply(octaves, LN_2) * mean_bytes >> LOG_BITS);
}

/* exp(-x), of an x below 32: by its series at x / 32. */
static uint64_t exponential(uint64_t x)
{
	uint64_t sum = ONE, term = ONE;

	x /= CERTAIN;
	for (uint64_t i = 1; term; i++) {
		term = multiply(term, x) / i;
		sum = i % 2 ? sum - term : sum + term;
	}
	for (int i = 1; i < CERTAIN; i *= 2)
		sum = multiply(sum, sum);
	return sum;
}

/*
 * bytes / p in means, in units of 2^-RATIO_SHIFT, and the variance; for blocks that are neither small nor
 * certain.
 */
static uint64_t ratio(uint64_t bytes, uint64_t mean_bytes, uint64_t *variance)
{
	uint64_t x = (bytes << 32) / mean_bytes, unlikely_by = exponential(x << (ONE_SHIFT - 32));
	uint64_t result = (x << RATIO_SHIFT) / ((ONE - unlikely_by) >> (ONE_SHIFT - 32));
	unsigned __int128 square = (unsigned __int128)result * result >> RATIO_SHIFT;

	*variance =
		(uint64_t)(square * (unlikely_by >> RATIO_SHIFT) >> (ONE_SHIFT - LOG_SAMPLE_VARIANCE_SHIFT));
	return result;
}

void poisson_weigh(uint64_t addr, uint64_t bytes, uint64_t mean_bytes, struct poisson_weight *weight)
{
	if (bytes / CERTAIN >= mean_bytes) {
		*weight = (struct poisson_weight){ bytes, 1, 0 };
		return;
	}
	if (bytes < mean_bytes >> SMALL_SHIFT) {
		weight->bytes = mean_bytes + bytes / 2;
		weight->variance = 1ull << LOG_SAMPLE_VARIANCE_SHIFT;
	} else {
		weight->bytes = (uint64_t)((unsigned __int128)ratio(bytes, mean_bytes, &weight->variance) *
						   mean_bytes >>
					   RATIO_SHIFT);
	}
	weight->blocks = weight->bytes / bytes + (mix(addr) % bytes < weight->bytes % bytes);
}
