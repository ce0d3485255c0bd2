/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libinsideme-nop.so: hooks that do nothing, to measure what calling them costs. */
#include "preload/common/base/compiler.h"

EXPORT void __cyg_profile_func_enter(void *function, void *call_site);
EXPORT void __cyg_profile_func_enter(void *function, void *call_site)
{
}

EXPORT void __cyg_profile_func_exit(void *function, void *call_site);
EXPORT void __cyg_profile_func_exit(void *function, void *call_site)
{
}
