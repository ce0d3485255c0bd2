/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What switches the recording of calls off and on: INSIDEME_START, INSIDEME_SIGNAL, and the program. */
#ifndef INSIDEME_RECORDING_SWITCH_H
#define INSIDEME_RECORDING_SWITCH_H

/* Take the settings: off from here on; and the handler of the signal, where the program has none. Constructor only. */
void toggle_begin(void);

/* insideme_enable() and insideme_disable(), whose contracts these have. */
int toggle_enable(void);
int toggle_disable(void);

#endif
