/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Call paths, stacks and ranks as words. */
#pragma once

#include "analyzer/model/model.h"
#include "analyzer/tables/document.h"

/* "main;run;step": names from the outermost on; ';' occurs in no name. Lives until the next call. */
const char *path_text(const struct tree_node *node);
/* "main > run > step (x 12)", "?" for NULL; of a long stack the beginning and the end. */
char *functions_text(struct document *document, struct function *const *functions, size_t nr);
char *open_stack_text(struct document *document, const struct open_stack *stack);
/* " (ranks 0 to 3 of 4)", or nothing. */
const char *ranks_text(struct document *document, const struct model *model);
