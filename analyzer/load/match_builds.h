/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs of different builds of a file: their functions are matched by name. */
#ifndef INSIDEME_MATCH_BUILDS_H
#define INSIDEME_MATCH_BUILDS_H

#include "analyzer/model/model.h"

/*
 * Make functions of one name and source file, in builds of one file that differ, the same function. Before nodes_read();
 * names that a build has several times are left apart.
 */
void versions_match(struct model *model);

/* Say on stderr where the model's runs are of different programs or builds. */
void versions_tell(const struct model *model);

#endif
