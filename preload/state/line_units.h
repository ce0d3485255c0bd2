/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Source files whose code has coverage counters (insideme-cc --lines), as the compiler describes them:
 * @unit is gcc's struct gcov_info. Their counters are copied into the log: by the sampler each second, and
 * here when the process ends or an object is unloaded.
 */
#pragma once

#include <stdbool.h>

/* Needs a log. Called by constructors of the program's objects, and at their end; makes system calls. */
void line_units_add(const void *unit);
void line_units_remove(const void *unit);

/* Copy all counters now. Without system calls. */
void line_units_copy(void);

/* Does this process have any? */
bool line_units_known(void);

/* In a forked child: its counts begin at 0. */
void line_units_forked(void);
/* In a child's new log: all that there are. */
void line_units_log_all(void);
