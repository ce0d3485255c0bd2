/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Single MPI calls in the profile of a part of a run: who waited for whom is known once the parts are
 * together. The last list of the file.
 */
#pragma once

#include "analyzer/profile/profile_ranks.h"

void profile_transfers_write(const struct profile_places *places);
/* After the other lists. Return: 0, or -1 after an error() */
int profile_transfers_read(struct profile *profile);
