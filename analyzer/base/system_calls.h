/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The system calls that a thread may wait in, by their numbers. */
#pragma once

/* "futex"; NULL: none of these. */
const char *system_call_name(int number);
