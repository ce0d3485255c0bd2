/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks whether a process has exec'ed since its log was made. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "insideme_log.h"

/*
 * Has process @pid, which began at @start_ticks (0: not known), exec'ed, so that @log is not mapped where it
 * says? Return: false also if the process has ended. If its map may not be read, the name decides.
 */
bool image_is_another(pid_t pid, uint64_t start_ticks, const struct log_header *log);
