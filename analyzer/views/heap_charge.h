/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Heap use of C++'s library, charged to the functions that called it. */
#ifndef INSIDEME_HEAP_CHARGE_H
#define INSIDEME_HEAP_CHARGE_H

#include "analyzer/model/model.h"

/* Is it one of std:: or of what is below that? After resolve_names(). */
bool function_is_of_cpp_library(const struct function *function);

/*
 * Fill charged_heap of all functions: what a function of the library allocated or freed goes to the nearest caller that
 * is none, or to the outermost one where all are.
 */
void heap_charge(struct model *model);

#endif
