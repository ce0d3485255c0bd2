/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which rank of a parallel launch a process is, as its launcher says in the environment, before and without
 * any MPI call. No libc.
 */
#ifndef INSIDEME_RANK_H
#define INSIDEME_RANK_H

#include <stdbool.h>
#include <stdint.h>

#include "insideme_log.h"

struct rank {
	int32_t rank;				/* -1: none */
	int32_t nr_ranks;			/* -1: not told */
	int32_t local_rank;			/* among the ranks of its host; -1: not told */
	bool is_child;				/* it inherited the environment of the process that is the rank */
	char launch_id[LOG_LAUNCH_ID_BYTES];	/* the same in all ranks of one launch; "": not told (Hydra) */
};

/* Fill @rank, but for is_child, which stays false: the environment does not tell. */
void rank_read(struct rank *rank, char *const *environment);

/* Is @program, a base name, one that starts ranks and is none? */
bool rank_is_launcher(const char *program);

#endif
