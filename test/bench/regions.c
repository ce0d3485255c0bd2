/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a region costs beside a function: ns of each, of an empty round, and the first over the second; then ns of a function and a
 * region while recording is off. The least of 200 chunks of 2000, in turns. Without the recorder: ns of a region, less an empty round.
 */
#include "insideme.h"
#include <stdio.h>
#include <time.h>

#define CHUNKS	200
#define ROUNDS	2000

static volatile long sink;

__attribute__((noinline)) static void function(void)
{
	sink++;
}

static void __attribute__((noinline, no_instrument_function)) by_function(void)
{
	for (int i = 0; i < ROUNDS; i++)
		function();
}

static void __attribute__((noinline, no_instrument_function)) by_region(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		INSIDEME_REGION("region");
		sink++;
	}
}

static void __attribute__((noinline, no_instrument_function)) by_nothing(void)
{
	for (int i = 0; i < ROUNDS; i++)
		sink++;
}

static double __attribute__((no_instrument_function)) chunk_ns(void (*rounds)(void))
{
	struct timespec begin, end;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	rounds();
	clock_gettime(CLOCK_MONOTONIC, &end);
	return ((double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec)) / ROUNDS;
}

int __attribute__((no_instrument_function)) main(void)
{
	double function_ns = 1e9, region_ns = 1e9, nothing_ns = 1e9, function_off_ns = 1e9, region_off_ns = 1e9;

	for (int i = 0; i < CHUNKS; i++) {
		double a = chunk_ns(by_function), b = chunk_ns(by_region), c = chunk_ns(by_nothing), d, e;

		insideme_disable();
		d = chunk_ns(by_function);
		e = chunk_ns(by_region);
		insideme_enable();
		function_ns = a < function_ns ? a : function_ns;
		region_ns = b < region_ns ? b : region_ns;
		nothing_ns = c < nothing_ns ? c : nothing_ns;
		function_off_ns = d < function_off_ns ? d : function_off_ns;
		region_off_ns = e < region_off_ns ? e : region_off_ns;
	}
	printf("%.2f %.2f %.2f %.3f %.2f %.2f\n", region_ns - nothing_ns, function_ns - nothing_ns, nothing_ns,
	       (region_ns - nothing_ns) / (function_ns - nothing_ns), function_off_ns - nothing_ns, region_off_ns - nothing_ns);
	return 0;
}
