/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * insideme-run --pid and --machine: sampling processes that run already, or the machine alone, into a run like any
 * other. Nothing is put into the processes, and nothing of them is stopped.
 */
#ifndef INSIDEME_MONITOR_ATTACH_H
#define INSIDEME_MONITOR_ATTACH_H

#include "preload/monitor/options.h"

/* Until all have ended, the time is over, or a signal says to end. Return: the exit status, after a line on stderr. */
int attach_run(const struct run_options *options, char **argv);

#endif
