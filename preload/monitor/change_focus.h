/* SPDX-License-Identifier: GPL-3.0-or-later */
/* insideme-run --pid --focus. */
#pragma once

#include "preload/monitor/options.h"

/*
 * Request another focus of the recorded processes that --pid names, by their logs, and print the result.
 * Return: exit status
 */
int focus_change(const struct options *options);
