/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scheduling and limits of insideme-run itself, after its program was started: nothing is inherited. */
#pragma once

/* Allow as many open files as the limit can be raised to. */
void needs_many_files(void);

/* Run soon after waking up, for a short time only. */
void needs_short_turns(void);
