/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * insideme-run --pid and --machine: sample processes that run already, or only the machine, into a run like
 * any other. Nothing is injected into the processes, and nothing in them is stopped.
 */
#pragma once

#include "preload/monitor/options.h"

/*
 * Sample until all have ended, the time is over, or a signal comes. Return: the exit status, after a line on
 * stderr
 */
int attach_run(const struct options *options, char **argv);
