/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --serve: the page over HTTP, for a browser on this machine. It is made anew for each request, so a run
 * that goes on is shown as it is now.
 */
#pragma once

#include "analyzer/ask/options.h"

/*
 * Listen on 127.0.0.1, at options->port (0: any), until a signal ends it. The address that is printed holds
 * a random word; a reader that does not know the word does not get the page. @make writes the page to the
 * output that its options name. Return: exit status
 */
int serve(const struct options *options, int (*make)(const struct options *options));
