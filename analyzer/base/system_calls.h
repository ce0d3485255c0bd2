/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The system calls that a thread may wait in, by their numbers. */
#pragma once

#include <stdbool.h>

/* "futex"; NULL: none of these. */
const char *system_call_name(int number);

/* Is the first argument a descriptor? Only for calls that have a name. */
bool system_call_has_fd(int number);
