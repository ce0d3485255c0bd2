/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CPU, waiting and blocked time of all calls, derived from calls that have a record. The use of a recorded
 * call, less that of its recorded callees, is its own and that of its callees without a record. Such
 * callees are short, because a call in which the thread left its processor for long has a record. So the time
 * ready and the blocked time belong to the call itself, if its own time is long enough, or else the blocked
 * time alone. The rest is divided by duration. The calls of a path without
 * records have the shares of the nearest path above it that has some. So the three are parts of self time.
 * Self time is without the hooks' cost, which is subtracted from CPU time. All paths together were ready for
 * no longer than the recorded calls.
 */
#pragma once

#include "analyzer/model/model.h"

enum share_kind { SHARE_CPU, SHARE_WAIT, SHARE_BLOCKED, NR_SHARES };

struct path_shares;

/* [model->nr_tree_nodes], to be freed by use_shares_free(). */
struct path_shares *use_shares_new(const struct model *model);
void use_shares_free(struct path_shares *shares);

/*
 * Add a recorded call of a path: its duration, and the part of it that recorded callees did not use. NAN: not
 * known.
 */
void use_shares_add(struct path_shares *shares, const struct tree_node *node, double duration_ns,
		    const double *rest);

/* After all calls: compute the parts of each path's self time. */
void use_shares_finish(struct path_shares *shares, const struct model *model);
/* [NR_SHARES], with the path's self time as their sum; NAN: not known. */
const double *use_shares_of(const struct path_shares *shares, const struct tree_node *node);
