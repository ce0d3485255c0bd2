/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Wrappers of __register_frame and __deregister_frame, which JIT compilers call: libgcc changes its tables
 * under a lock.
 */
#include "preload/objects/next_functions.h"
#include "preload/samples/backtrace.h"

EXPORT void __register_frame(void *table);
EXPORT void __register_frame(void *table)
{
	backtrace_change_tables(real_find(__register_frame), table);
}

EXPORT void __deregister_frame(void *table);
EXPORT void __deregister_frame(void *table)
{
	backtrace_change_tables(real_find(__deregister_frame), table);
}
