/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CPU, waiting and blocked time of all calls, out of those of calls that have a record. Of a recorded call it is known
 * what it used besides its recorded callees: it and its callees without a record did. These are short: what blocked for
 * long has a record, so blocked time is the call's own if its own time can hold it. The rest is shared by how long each took.
 * A path's calls without a record have the shares of the nearest path above it that has some. So the three are
 * parts of self time; what the hooks cost, which self time is without, is taken from CPU time.
 */
#ifndef INSIDEME_PATH_SHARES_H
#define INSIDEME_PATH_SHARES_H

#include "analyzer/model/model.h"

enum share_kind { SHARE_CPU, SHARE_WAIT, SHARE_BLOCKED, NR_SHARES };

struct path_shares;

/* [model->nr_tree_nodes], to be freed by use_shares_free(). */
struct path_shares *use_shares_new(const struct model *model);
void use_shares_free(struct path_shares *shares);

/* A recorded call of a path: how long it was, and what of it recorded callees did not use. NAN: not known. */
void use_shares_add(struct path_shares *shares, const struct tree_node *node, double duration_ns, const double *rest);

/* After all calls: the parts of each path's self time. */
void use_shares_finish(struct path_shares *shares, const struct model *model);
/* [NR_SHARES], which sum up to the path's self time; NAN: not known. */
const double *use_shares_of(const struct path_shares *shares, const struct tree_node *node);

#endif
