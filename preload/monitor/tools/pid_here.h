/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers of processes in containers. */
#ifndef INSIDEME_MONITOR_PID_HERE_H
#define INSIDEME_MONITOR_PID_HERE_H

#include <stdint.h>

/*
 * Drivers number processes as the host does. Where /proc does too, but we are in a pid namespace of our own (a container
 * that was given the host's /proc), return the number that @pid has in it; of all others, @pid.
 */
uint32_t pid_here(uint32_t pid);

#endif
