/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A call path as one line. */
#ifndef INSIDEME_PATH_TEXT_H
#define INSIDEME_PATH_TEXT_H

#include "model.h"

/* "main;run;step": names from the outermost on; ';' occurs in no name. Lives until the next call. */
const char *path_text(const struct tree_node *node);

#endif
