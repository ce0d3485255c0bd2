/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * "stream:PATH": lines to a process that reads a pipe or a Unix socket while they are made. If no process
 * reads, or not in time, lines are dropped and counted: a reader that is slow, leaves or never comes delays
 * nothing.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* PATH of "stream:PATH"; NULL: @output is no stream. */
const char *stream_path(const char *output);
/* Return: 0; -ENOTSUP if something other than a pipe or socket is there. A reader may make it later. */
int stream_check(const char *path);
/*
 * Each reader gets the first line, the names of the columns, when it comes. When the file is closed, a
 * warning says how many lines were dropped. @path must stay valid. NULL: errno says why
 */
FILE *stream_open(const char *path);
