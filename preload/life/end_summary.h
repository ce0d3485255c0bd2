/* SPDX-License-Identifier: GPL-3.0-or-later */
/* INSIDEME_SUMMARY without insideme-run: the report on stderr when the process that began the run ends. */
#pragma once

#include "preload/common/run/run.h"

/* @own, @environment: kept. Constructor only. */
void end_summary_init(const struct run *own, char **environment);

/*
 * Runs insideme-report and waits for it. Nothing happens in other processes of the run, under insideme-run,
 * after a seccomp filter, and if stderr is closed or another file by now.
 */
void end_summary_print(void);
