/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text on a terminal: as it is where it fits, else through a pager. */
#ifndef INSIDEME_PAGER_H
#define INSIDEME_PAGER_H

#include <stdbool.h>
#include <stddef.h>

/* Is standard output a terminal on which a pager can work, and is one not turned off by an empty name or "cat"? */
bool pager_is_wanted(void);

/*
 * Write @text to standard output, through $INSIDEME_PAGER, $PAGER or less -FRX when it has more lines than the
 * terminal. Who leaves the pager early has seen enough. Return: false when it could not be written, with errno
 */
bool pager_show(const char *text, size_t bytes);

#endif
