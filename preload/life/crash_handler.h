/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * INSIDEME_CRASH: a handler records the place of a fatal signal. Without it, the log has only the calls that
 * were open.
 */
#pragma once

/*
 * Install handlers for the signals for which the program has none, if the user asks for it. After the log
 * began, before any thread.
 */
void crash_init(void);

/* Make a stack for the handler in the calling thread, whose own may have overflowed; and remove it. */
void crash_begin_thread(void);
void crash_end_thread(void);
