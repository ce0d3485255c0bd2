/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Logs of a run that live elsewhere: the run's file is one line with the path (LOG_POINTER). */
#ifndef INSIDEME_LOG_ELSEWHERE_H
#define INSIDEME_LOG_ELSEWHERE_H

/*
 * Open the log @path for reading where it lives; nothing is said. Return: descriptor, or -1 with errno;
 * -ENOENT also when it lived on another host or went with a reboot.
 */
int pointer_open(const char *path);

/* The process of the log @path is gone: a log that lives elsewhere on this host goes into its run, if that can be. */
void pointer_bring_home(const char *path);

#endif
