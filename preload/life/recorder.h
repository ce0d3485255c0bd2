/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The recorder as a whole: its end, and what happens on trouble: a line on stderr, then off; the program runs on.
 */
#ifndef INSIDEME_RECORDER_H
#define INSIDEME_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/common/run/run.h"
#include "preload/state/live.h"

/* Stop recording for good: one line on stderr, a text record, the log's end mark. */
void recorder_turn_off(const char *what, const char *path, int error);

/*
 * A seccomp filter is coming: no system call after this, also in children; the log has got some room before.
 * recorder_unseal(): this one did not come to be; earlier ones stay.
 */
void recorder_seal(void);
void recorder_unseal(void);

/*
 * Is there a log? A program that has none yet opens it here, before something that would make that impossible or change
 * what it is.
 */
bool recorder_open(void);

/* Set the log's end mark, once; later marks of the same process replace LOG_RUNNING only. */
void recorder_mark_end(enum log_end end, int status);

/* The end that was marked did not come. */
void recorder_go_on(void);

/* @own: kept; NULL without a run. */
void recorder_init(struct run *own);

#endif
