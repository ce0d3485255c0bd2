/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A log may live outside of its run, in memory. The run's file is then one line with the path of the log
 * (LOG_POINTER).
 */
#pragma once

/*
 * Open the log @path for reading, wherever it lives. Prints nothing. Return: descriptor, or -1 with errno:
 * ENOENT also if the log lived on another host, or was lost in a reboot
 */
int pointer_open(const char *path);

/*
 * Move a log into its run if it lives elsewhere on this host. The recorded process must have ended. On
 * failure the log stays.
 */
void pointer_bring_home(const char *path);
