/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions that -finstrument-functions calls. */
#pragma once

#include "preload/common/base/compiler.h"

EXPORT void __cyg_profile_func_enter(void *function, void *call_site);
EXPORT void __cyg_profile_func_exit(void *function, void *call_site);
