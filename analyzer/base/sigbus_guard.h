/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Another process may truncate a mapped file while we read it: then a read beyond the new end raises
 * SIGBUS. Within guarded ranges such a read yields zeros, which every reader takes for "nothing here".
 */
#pragma once

#include <stddef.h>

/* Call from one thread only. Remove the range before unmapping it. */
void sigbus_guard_add(const void *base, size_t bytes);
void sigbus_guard_remove(const void *base);
