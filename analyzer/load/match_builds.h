/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs of different builds of a file: their functions are matched by name. */
#pragma once

#include "analyzer/model/model.h"

/*
 * Functions with the same name and source file, in different builds of one file, become one function. Before
 * nodes_read(). Names that a build has several times stay apart.
 */
void versions_match(struct model *model);

/* Report on stderr if the model's runs are of different programs or builds. */
void versions_tell(const struct model *model);
