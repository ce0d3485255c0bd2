/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The end of the recorder as a whole. On trouble it prints one line on stderr and turns itself off, and the
 * program runs on.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "preload/common/run/run.h"
#include "preload/state/live.h"

/* Stop recording for good: one line on stderr, a text record, the log's end mark. */
void recorder_turn_off(const char *what, const char *path, int error);

/*
 * A seccomp filter is about to be installed. The log gets some room, and the library makes no system call
 * from then on, in children too. recorder_unseal(): that filter was not installed; earlier ones stay.
 */
void recorder_seal(void);
void recorder_unseal(void);

/*
 * Open the log of a program that has none yet, before the program does something that would make that
 * impossible. Return: is there a log?
 */
bool recorder_open(void);

/* Set the log's end mark. Only the first mark counts, unless it is LOG_RUNNING. */
void recorder_mark_end(enum log_end end, int status);

/* The process goes on after its end was marked. */
void recorder_go_on(void);

/* @own: kept; NULL without a run. */
void recorder_init(struct run *own);
