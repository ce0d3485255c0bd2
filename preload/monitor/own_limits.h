/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What insideme-run asks of the kernel for itself, once its program has started: nothing of it is inherited. */
#ifndef INSIDEME_OWN_LIMITS_H
#define INSIDEME_OWN_LIMITS_H

/* As many open files as its limit can be raised to. */
void needs_many_files(void);

/* To run soon after it wakes up, though for a short while only. */
void needs_short_turns(void);

#endif
