/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Mapped files that somebody else may cut while we read them: a read past the new end is SIGBUS. Inside of
 * guarded ranges it yields zeros instead, which every reader takes for "nothing there".
 */
#ifndef INSIDEME_SIGBUS_GUARD_H
#define INSIDEME_SIGBUS_GUARD_H

#include <stddef.h>

/* From one thread. The range is forgotten by sigbus_guard_remove(), before it is unmapped. */
void sigbus_guard_add(const void *base, size_t bytes);
void sigbus_guard_remove(const void *base);

/* Pages that were replaced by zeros so far, in all ranges. */
size_t sigbus_guard_nr_replaced(void);

#endif
