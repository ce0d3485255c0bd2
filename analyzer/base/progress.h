/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A line on stderr, where that is a terminal, that says what takes longer than a second. */
#ifndef INSIDEME_PROGRESS_H
#define INSIDEME_PROGRESS_H

void progress_begin(void);
/* What is being done just now; cheap, and also when progress was not begun. */
void progress_set(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Before a message: the line goes until its next turn. */
void progress_clear(void);
/* Before a report is printed: the line goes for good. */
void progress_end(void);

#endif
