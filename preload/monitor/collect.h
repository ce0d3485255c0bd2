/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * INSIDEME_COLLECT: the last insideme-run of a host makes one file of its ranks' logs, RUN/HOST-PID.logs.
 * That happens after the ranks have ended, never within them. Whatever fails leaves the logs as they are.
 */
#pragma once

#include "preload/common/run/process_id.h"
#include "preload/common/run/run.h"

/* An insideme-run of a rank begins. Return: for collect_end(), or -errno */
int collect_begin(const struct run *run, const struct process_id *id);

/* It ends. @fd: of collect_begin(). If no other one of the host goes on, collect the logs. */
void collect_end(int fd, const struct run *run, const struct process_id *id);

/* Collect the logs of ranks of this host that have ended. */
void collect_logs(const struct run *run, const struct process_id *id);
