/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fork(): the child gets a log of its own in which the calls that were open are open again. */
#ifndef INSIDEME_WRAP_FORK_H
#define INSIDEME_WRAP_FORK_H

/* Be called around each fork. Constructor only. */
void fork_init(void);

#endif
