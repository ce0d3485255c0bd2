/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --runs: several runs of a program, and by turns of another one. */
#pragma once

#include "preload/monitor/options.h"

/*
 * Fork for each run. Return: 0 in the child, whose options are those of that one run; 2 after one line on
 * stderr, before any run. The parent ends as the last run did.
 */
int repeated_runs_begin(struct options *options);
