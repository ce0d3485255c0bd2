/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Line events (INSIDEME_LINE_EVENTS): a record for each line that code of insideme-cc --line-events begins.
 * With a focus, only for the functions that it names, by the addresses of their code.
 */
#pragma once

#include "preload/state/live.h"

/*
 * A line begins at @code; the stack of its function ends at @stack. Called by the line's thread, or by a
 * handler on it. It must change no registers but the general ones.
 */
void line_event_add(struct log_thread *thread, uintptr_t code, uintptr_t stack);
