/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --serve: the page over HTTP to this machine's own browser, made anew for each request, so of a run that goes on too. */
#ifndef INSIDEME_SERVE_H
#define INSIDEME_SERVE_H

#include "analyzer/ask/options.h"

/*
 * Listen on 127.0.0.1 at options->port (0: any) until a signal ends it. Only who has the address that is printed, which holds
 * a random word, gets the page; @make writes it to the output that its options name. Return: exit status
 */
int serve(const struct options *options, int (*make)(const struct options *options));

#endif
