/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the rank of a process in a parallel launch, by the variables that its launcher set, before and
 * without any MPI call. No libc.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "insideme_log.h"

struct rank {
	int32_t rank;				/* -1: none */
	int32_t nr_ranks;			/* -1: not known */
	int32_t local_rank;			/* among the ranks of its host; -1: not known */
	bool is_child;	/* it inherited the environment of the process that is the rank */
	char launch_id[LOG_LAUNCH_ID_BYTES];	/* the same in all ranks of a launch; "": not known (Hydra) */
};

/* Fill @rank, except for is_child, which stays false: the environment does not show it. */
void rank_read(struct rank *rank, char *const *environment);

/* Is @program, a base name, a program that starts ranks without being one? */
bool rank_is_launcher(const char *program);
