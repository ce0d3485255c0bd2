/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a program's own allocators tell of their blocks: see insideme_alloc() in include/insideme.h for arguments and errors. */
#ifndef INSIDEME_API_POOLS_H
#define INSIDEME_API_POOLS_H

#include <stddef.h>

int pool_alloc(const void *block, size_t bytes);
int pool_free(const void *block);
int pool_begin(void);
int pool_end(void);

#endif
