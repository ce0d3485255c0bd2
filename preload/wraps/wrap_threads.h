/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads that the program starts, names and ends. Others are seen at their first hook or allocation. */
#ifndef INSIDEME_WRAP_THREADS_H
#define INSIDEME_WRAP_THREADS_H

/* Constructor only. */
void threads_init(void);

#endif
