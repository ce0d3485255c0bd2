/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --follow: pikos's records of a run that goes on, until it has ended. */
#ifndef INSIDEME_FOLLOW_H
#define INSIDEME_FOLLOW_H

#include "analyzer/ask/options.h"

/* Can these options be followed? Return: exit status, after an error() */
int follow_check(const struct options *options);

/*
 * The run is read again and again, ten times a second at most and for a twentieth of the time; rows come as far as they are
 * complete. Return: exit status
 */
int follow(const struct options *options);

#endif
