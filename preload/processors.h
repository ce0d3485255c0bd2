/* SPDX-License-Identifier: GPL-3.0-or-later */
/* On which processors the calling thread may run. No libc. */
#ifndef INSIDEME_PROCESSORS_H
#define INSIDEME_PROCESSORS_H

#include <stdbool.h>
#include <stdint.h>

/* How many the host has; 0: it does not say. */
uint32_t processors_online(void);

/*
 * Stay where it is until processors_roam(), and tasks that it starts with it. Only who may run on all of the host's
 * @nr_online does: of others the kernel does not tell whether they were bound by somebody or by where they are.
 * Return: whether it does.
 */
bool processors_stay(uint32_t nr_online);

/* To run on all again: who stays, or was started by it. Nothing where somebody has bound it otherwise meanwhile. */
void processors_roam(void);

#endif
