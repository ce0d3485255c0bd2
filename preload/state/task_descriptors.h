/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSIDEME_TASK_DESCRIPTORS_H
#define INSIDEME_TASK_DESCRIPTORS_H

#include <stdbool.h>

/* The calling task gets an own, empty table of descriptors. Return: whether it has one. No libc. */
bool descriptors_leave(void);

#endif
