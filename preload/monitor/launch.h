/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program's environment, and its start with everything else as insideme-run found it. */
#pragma once

#include <signal.h>
#include <sys/types.h>

#include "preload/monitor/options.h"

/*
 * Our environment with the settings given as options, INSIDEME_RUN=@run (NULL: without), and @library in
 * front of LD_PRELOAD (NULL: without). On the heap, never freed.
 */
char **launch_environment(const struct options *options, const char *run, const char *library);

/*
 * Start @command in a child with the signal mask @mask. Return: its pid, or -errno, also if exec failed; then
 * there is no child any more
 */
pid_t launch(char **command, char **environment, const sigset_t *mask);
