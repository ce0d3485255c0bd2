/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the process ends: marks it in the log, with the exit status. Ends without a call of ours have no mark. */
#ifndef INSIDEME_WRAP_EXIT_H
#define INSIDEME_WRAP_EXIT_H

/* Be called back by exit(). Constructor only. */
void ends_init(void);

#endif
