/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * INSIDEME_CRASH: a handler records where a fatal signal came. Without it the log has only the calls that
 * were open.
 */
#ifndef INSIDEME_CRASH_HANDLER_H
#define INSIDEME_CRASH_HANDLER_H

/*
 * Set handlers of the signals for which the program has none, if the user asks. After the log began, before
 * any thread.
 */
void crash_init(void);

/* Make a stack for the handler in the calling thread, whose own may have overflowed; and remove it. */
void crash_begin_thread(void);
void crash_end_thread(void);

#endif
