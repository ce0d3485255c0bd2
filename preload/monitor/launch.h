/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program's environment, and starting it so that it finds everything else as it was. */
#ifndef INSIDEME_MONITOR_LAUNCH_H
#define INSIDEME_MONITOR_LAUNCH_H

#include <signal.h>
#include <sys/types.h>

#include "preload/monitor/options.h"

/*
 * Our environment with the settings given as options, INSIDEME_RUN=@run (NULL: without) and
 * @library put in front of LD_PRELOAD (NULL: without). On the heap, for good.
 */
char **launch_environment(const struct run_options *options, const char *run, const char *library);

/*
 * Start @command in a child with the signal mask @mask. Return: its pid, or -errno; -errno of exec too, in
 * which case there is no child any more.
 */
pid_t launch(char **command, char **environment, const sigset_t *mask);

#endif
