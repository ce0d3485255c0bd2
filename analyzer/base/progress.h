/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A line on stderr that shows progress when the report takes longer than a second. Only on a terminal. */
#pragma once

void progress_begin(void);
/* Say what is being done now. Cheap; does nothing before progress_begin(). */
void progress_set(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Remove the line before a message is printed. The timer prints it again. */
void progress_clear(void);
/* Remove the line for good, before the report is printed. */
void progress_end(void);
