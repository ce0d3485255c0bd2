/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signals that a program may be told something by. No libc. */
#ifndef INSIDEME_SIGNAL_NAMES_H
#define INSIDEME_SIGNAL_NAMES_H

#include <stdint.h>

/* "USR1", "SIGUSR1", "RTMIN+3"; "off": 0. Return: 0, or -EINVAL, also of signals that mean an error or cannot be caught. */
int signal_parse(const char *text, uint64_t *number);

#endif
