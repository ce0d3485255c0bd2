/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides which allocations are sampled, and computes what the samples stand for. Samples are a Poisson
 * process along the bytes that a thread allocates, one every mean bytes on average: a block of s bytes is
 * sampled with probability p = 1 - exp(-s / mean), whatever came before it. It uses integers only, because it
 * runs inside malloc(). No state, no libc.
 */
#pragma once

#include <stdint.h>

/* The blocks and bytes that one sampled block stands for. */
struct poisson_weight {
	uint64_t bytes;		/* bytes / p */
	uint64_t blocks;   /* 1 / p, rounded up or down by a hash of the block's address: always the same for
			      one block */
	uint64_t variance; /* that it adds to the sum of bytes, in units of mean^2 /
			      2^LOG_SAMPLE_VARIANCE_SHIFT */
};

/*
 * Bytes until the next sample. @random: state of the generator, of the calling thread; any value to begin
 * with.
 */
uint64_t poisson_next(uint64_t *random, uint64_t mean_bytes);

/*
 * Horvitz and Thompson's estimator (Journal of the American Statistical Association 47, 1952): each sample
 * counts 1 / p times, which is right in the mean for any sizes; its variance is estimated by the sum of
 * bytes^2 (1 - p) / p^2. tcmalloc, jemalloc and heapprofd weigh their samples in the same way.
 */
void poisson_weigh(uint64_t addr, uint64_t bytes, uint64_t mean_bytes, struct poisson_weight *weight);
