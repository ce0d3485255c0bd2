/* SPDX-License-Identifier: GPL-3.0-or-later */
/* insideme-run --pid --focus. */
#pragma once

#include "preload/monitor/options.h"

/*
 * Ask the recorded processes that --pid names for another focus, by their logs, and say what became of it.
 * Return: exit status
 */
int focus_change(const struct options *options);
