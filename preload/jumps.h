/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What jumps and exceptions leave behind. */
#ifndef INSIDEME_JUMPS_H
#define INSIDEME_JUMPS_H

/* After real_init(), before any thread. */
void jumps_init(void);

#endif
