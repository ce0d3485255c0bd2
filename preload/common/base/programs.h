/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which programs are recorded: lists of globs over their names. No libc. */
#ifndef INSIDEME_PROGRAMS_H
#define INSIDEME_PROGRAMS_H

#include <stdbool.h>

/*
 * Does @list select @program? Globs of * and ?, separated by commas or colons; one that begins with ! excludes,
 * and a list of such alone selects all others. "all": every program.
 */
bool programs_select(const char *list, const char *program);

#endif
