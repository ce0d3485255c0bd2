/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Line events (INSIDEME_LINE_EVENTS): a record for each line that code of insideme-cc --line-events begins.
 * With a focus, of the functions that it names alone, by the addresses of their code.
 */
#pragma once

#include "preload/state/live.h"

/*
 * A line begins at @code; the stack of its function ends at @stack. By its thread or a handler on it. All
 * registers but the general ones must stay as they are.
 */
void line_event_add(struct log_thread *thread, uintptr_t code, uintptr_t stack);
