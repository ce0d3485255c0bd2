/* SPDX-License-Identifier: GPL-3.0-or-later */
/* INSIDEME_CRASH: where a fatal signal came, told by a handler. Without it there is none: the log has the open calls. */
#ifndef INSIDEME_CRASH_HANDLER_H
#define INSIDEME_CRASH_HANDLER_H

/* Handlers of the signals for which the program has none, if they are wanted. After the log began, before any thread. */
void crash_init(void);

/* A stack for the handler in the calling thread, which may have none left of its own; and away with it. */
void crash_begin_thread(void);
void crash_end_thread(void);

#endif
