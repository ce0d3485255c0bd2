/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --follow: pikos's records of a run while it goes on, until it ends. */
#pragma once

#include "analyzer/ask/options.h"

/* Check whether --follow accepts these options. Return: exit status, after an error() */
int follow_check(const struct options *options);

/*
 * Read the run at most ten times a second, for at most a twentieth of the time, and print each row when it
 * is complete. Return: exit status
 */
int follow(const struct options *options);
